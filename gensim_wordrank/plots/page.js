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

// Places of a label around its point, the best first: horizontal and vertical direction.
const PLACES = [[0, -1], [0, 1], [1, 0], [-1, 0], [1, -1], [-1, -1], [1, 1], [-1, 1]];

// Pixels between two labels on a line.
const GAP = 4;

function overlap(one, other) {
  const isBeside = one.left >= other.right + GAP || other.left >= one.right + GAP;
  return !isBeside && one.top < other.bottom && other.top < one.bottom;
}

// Return the points and labels on the screen, words that were asked for or found first, then near ones.
function labelsOf(plot) {
  const labels = [];
  plot.querySelectorAll(".scatterlayer .trace").forEach((trace) => {
    const points = trace.querySelectorAll(".point");
    trace.querySelectorAll(".textpoint text").forEach((text, rank) => {
      text.style.visibility = "";
      text.removeAttribute("transform");
      const isFound = text.style.fill === "rgb(208, 0, 0)";
      labels.push({ text, point: points[rank].getBoundingClientRect(), rank: isFound ? -1 : rank });
    });
  });
  for (const label of labels) label.box = label.text.getBoundingClientRect();
  return labels.sort((one, other) => one.rank - other.rank);
}

// Return where a label may stand, best first.
function boxesAround({ point, box }) {
  const [x, y] = [(point.left + point.right) / 2, (point.top + point.bottom) / 2];
  const beside = (point.width + box.width) / 2 + 2;
  const above = (point.height + box.height) / 2;
  return PLACES.map(([right, down]) => {
    const left = x + right * (down ? beside * 0.7 : beside) - box.width / 2;
    const top = y + down * above - box.height / 2;
    return { left, top, right: left + box.width, bottom: top + box.height };
  });
}

// Move the labels of a map so that none overlap or leave it. Labels without room are hidden until the map is enlarged.
function placeLabels(plot) {
  const frame = plot.querySelector(".main-svg").getBoundingClientRect();
  const isInside = (box) =>
    box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
  const labels = labelsOf(plot);
  const points = labels.map((label) => label.point);
  const taken = [];
  let hidden = 0;
  for (const { text, point, box, rank } of labels) {
    const boxes = boxesAround({ point, box }).filter((each) => isInside(each) && !taken.some((one) => overlap(one, each)));
    const free = boxes.find((each) => !points.some((one) => one !== point && overlap(one, each))) ?? boxes[0];
    if (free) {
      text.setAttribute("transform", `translate(${free.left - box.left},${free.top - box.top})`);
      taken.push(free);
    } else {
      text.style.visibility = "hidden";
      hidden += 1;
    }
  }
  const note = plot.closest(".panel").querySelector(".search span");
  note.textContent = hidden ? `No room for ${hidden} labels: zoom in.` : "";
}

for (const plot of document.querySelectorAll(".map .js-plotly-plot")) {
  plot.on("plotly_afterplot", () => placeLabels(plot));
}
// figures were drawn before the page had its final layout
for (const plot of document.querySelectorAll(".js-plotly-plot")) Plotly.Plots.resize(plot);

for (const button of document.querySelectorAll(".legend button")) {
  button.addEventListener("click", () => {
    const isShown = button.getAttribute("aria-pressed") === "true";
    button.setAttribute("aria-pressed", String(!isShown));
    const plot = document.getElementById(button.dataset.figure);
    Plotly.restyle(plot, { visible: isShown ? "legendonly" : true }, [Number(button.dataset.series)]);
  });
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
