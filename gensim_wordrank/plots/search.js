"use strict";

// Return the visible point of a word: an exact match, or else the first word that begins so.
function findWord(traces, query) {
  const lower = query.toLowerCase();
  const matchers = [
    (word) => word === query,
    (word) => word.toLowerCase() === lower,
    (word) => word.toLowerCase().startsWith(lower),
  ];
  for (const matches of matchers) {
    for (const [number, trace] of traces.entries()) {
      const point = trace.visible === "legendonly" ? -1 : trace.customdata.findIndex(matches);
      if (point >= 0) return { number, point };
    }
  }
  return null;
}

// Return an axis range of a third of the full one, centred on a point.
function around(centre, [start, end]) {
  const half = (end - start) / 6;
  return [centre - half, centre + half];
}

for (const box of document.querySelectorAll("input[data-figure]")) {
  const plot = document.getElementById(box.dataset.figure);
  const message = box.closest(".search").querySelector("output");
  const full = { x: [...plot.layout.xaxis.range], y: [...plot.layout.yaxis.range] };

  box.addEventListener("input", () => {
    const query = box.value.trim();
    const found = query ? findWord(plot.data, query) : null;
    message.textContent = query && !found ? "not in this figure" : "";
    if (!found) {
      Plotly.update(plot, { selectedpoints: [null] }, { "xaxis.range": full.x, "yaxis.range": full.y });
      return;
    }
    const trace = plot.data[found.number];
    const selected = plot.data.map((_, number) => (number === found.number ? [found.point] : []));
    Plotly.update(plot, { selectedpoints: selected }, {
      "xaxis.range": around(trace.x[found.point], full.x),
      "yaxis.range": around(trace.y[found.point], full.y),
    });
  });
}
