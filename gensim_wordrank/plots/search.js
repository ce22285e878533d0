"use strict";

// Where a word is among the visible points: the word itself, or the first that begins with it.
function findWord(traces, wanted) {
  const lower = wanted.toLowerCase();
  const fits = [
    (word) => word === wanted,
    (word) => word.toLowerCase() === lower,
    (word) => word.toLowerCase().startsWith(lower),
  ];
  for (const fit of fits) {
    for (const [number, trace] of traces.entries()) {
      const point = trace.visible === "legendonly" ? -1 : trace.customdata.findIndex(fit);
      if (point >= 0) return { number, point };
    }
  }
  return null;
}

// A third of the whole picture, with the point in its centre.
function around(centre, [start, end]) {
  const half = (end - start) / 6;
  return [centre - half, centre + half];
}

for (const box of document.querySelectorAll("input[data-picture]")) {
  const plot = document.getElementById(box.dataset.picture);
  const answer = box.closest(".search").querySelector("output");
  const whole = { x: [...plot.layout.xaxis.range], y: [...plot.layout.yaxis.range] };

  box.addEventListener("input", () => {
    const wanted = box.value.trim();
    const found = wanted ? findWord(plot.data, wanted) : null;
    answer.textContent = wanted && !found ? "not in this picture" : "";
    if (!found) {
      Plotly.update(plot, { selectedpoints: [null] }, { "xaxis.range": whole.x, "yaxis.range": whole.y });
      return;
    }
    const trace = plot.data[found.number];
    const chosen = plot.data.map((_, number) => (number === found.number ? [found.point] : []));
    Plotly.update(plot, { selectedpoints: chosen }, {
      "xaxis.range": around(trace.x[found.point], whole.x),
      "yaxis.range": around(trace.y[found.point], whole.y),
    });
  });
}
