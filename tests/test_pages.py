"""HTML pages in a real browser: hover, zoom and search work without a network."""

import re
import shutil

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim_wordrank.plots import Document, Heading, Table, loss_curves, loss_functions, save, word_map
from playwright.sync_api import expect, sync_playwright

CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
ATTACK = '"><img src=x onerror="window.attacked=1"><script>window.attacked=1</script>'
WORDS = ["king", "queen", "Kingdom", "prince", "sea", "ship", "sail", "harbour", "$x$", "<b>", "a&amp;b", ATTACK]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None, reason="Chromium is not installed; 'make test' installs it where it can use apt-get"
    ),
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Chromium with an empty profile."""
    with sync_playwright() as playwright:
        profile = tmp_path_factory.mktemp("profile")
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=CHROMIUM, headless=True, args=list(FLAGS), viewport={"width": 1250, "height": 1000}
        )
        yield context
        context.close()


# plots are drawn once, and again in the width of their panels
HAVE_THEIR_SIZE = """() => [...document.querySelectorAll(".js-plotly-plot")].every(
    (plot) => Math.abs(plot._fullLayout.width - plot.clientWidth) < 2)"""


@pytest.fixture
def show(browser):
    """Open a page from disk; afterwards check that it loaded no other file and logged nothing."""
    page = browser.new_page()
    requests, messages = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))

    def open_file(path):
        page.goto(path.as_uri())
        page.wait_for_selector(".main-svg")
        page.wait_for_function(HAVE_THEIR_SIZE)
        return page

    yield open_file
    page.close()
    assert len(requests) == 1
    assert requests[0].startswith("file://")
    assert messages == []


@pytest.fixture(scope="module")
def words_page(tmp_path_factory):
    """A map of words, some with special characters."""
    wv = KeyedVectors(5)
    wv.add_vectors(WORDS, np.random.default_rng(1).normal(size=(len(WORDS), 5)).astype(np.float32))
    path = tmp_path_factory.mktemp("pages") / "words.html"
    save(word_map(wv, WORDS), path)
    return path


def ranges(page):
    """Return the visible ranges of x and y."""
    return page.evaluate("() => { const l = figure.layout; return [l.xaxis.range, l.yaxis.range]; }")


def point(page, word):
    """Return the coordinates of a word."""
    return page.evaluate(
        "word => { const t = figure.data[0], i = t.customdata.indexOf(word); return [t.x[i], t.y[i]]; }", word
    )


def on_screen(page, word):
    """Return the position of a word on the screen."""
    box = page.locator(".points .point").nth(WORDS.index(word)).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_curves_have_legends_and_hover_values(show, tmp_path):
    """The legends of Figure 1 list all functions; hovering over a curve shows the values of a point."""
    save(loss_functions(), tmp_path / "losses.html")
    page = show(tmp_path / "losses.html")
    assert page.title() == "Rank losses"
    names = [series.name for panel in loss_functions().panels for series in panel.series]
    expect(page.locator(".legend button")).to_have_text(names)
    line = page.locator("#figure .js-line").nth(0).bounding_box()  # rho_0 from corner to corner
    page.mouse.move(line["x"] + line["width"] / 2, line["y"] + line["height"] / 2)
    page.wait_for_selector(".hovertext")
    x, y = map(float, re.findall(r"\d+\.?\d*", page.locator(".hovertext").text_content())[:2])
    assert x == pytest.approx(y)
    assert x == pytest.approx(5, abs=0.5)


def test_legend_hides_and_shows_a_curve(show, tmp_path):
    """A click on a name hides its curve, another one shows it again."""
    save(loss_curves({"a": [9.0, 5.0], "b": [8.0, 7.0]}), tmp_path / "curves.html")
    page = show(tmp_path / "curves.html")
    button = page.get_by_role("button", name="b", exact=True)
    for visible in ("legendonly", True):
        button.click()
        assert page.evaluate("() => figure.data.map(trace => trace.visible ?? true)") == [True, visible]


@pytest.mark.parametrize("width", [390, 800, 1600])
@pytest.mark.parametrize("words", [["w0"], ["w0", "w1", "w2"]])
def test_a_map_fits_the_window(show, tmp_path, width, words):
    """Labels neither overlap nor leave the map, the page fits the window, and words that were asked for are shown."""
    random = np.random.default_rng(3)
    names = [f"w{number}" + "x" * random.integers(0, 12) * (number > 2) for number in range(60)]
    wv = KeyedVectors(5)
    wv.add_vectors(names, random.normal(size=(60, 5)).astype(np.float32))
    save(word_map(wv, words, topn=12), tmp_path / "map.html")
    page = show(tmp_path / "map.html")
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_function("width => Math.abs(figure.querySelector('.main-svg').clientWidth - width) < 40", arg=width)
    size = page.evaluate("() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    assert size[0] <= width
    assert size[1] <= 900
    frame, boxes = page.evaluate("""() => {
        const box = (one) => { const r = one.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
        const texts = [...figure.querySelectorAll(".textpoint text")];
        const shown = texts.filter((one) => one.style.visibility !== "hidden");
        return [box(figure), shown.map((one) => [one.textContent, ...box(one)])];
    }""")
    assert {name for name, *_ in boxes} >= set(words)
    assert len(boxes) > 10
    n_hidden = page.locator(".textpoint").count() - len(boxes)
    expected = f"No room for {n_hidden} labels: zoom in." if n_hidden else ""
    assert page.locator(".search span").text_content() == expected
    for number, (_, left, top, right, bottom) in enumerate(boxes):
        assert frame[0] <= left < right <= frame[2]
        assert frame[1] <= top < bottom <= frame[3]
        for _, other_left, other_top, other_right, other_bottom in boxes[:number]:
            assert right <= other_left or other_right <= left or bottom <= other_top or other_bottom <= top
    if len(words) == 1:
        asked = next(box for box in boxes if box[0] == "w0")
        point = page.locator(".point").first.bounding_box()
        assert point["x"] + point["width"] / 2 == pytest.approx((frame[0] + frame[2]) / 2, abs=3)
        assert abs((asked[1] + asked[3]) / 2 - (frame[0] + frame[2]) / 2) < width / 4


def test_dark_mode(show, tmp_path):
    """If the system is dark, so is the page, and its text is light."""
    save(loss_functions(), tmp_path / "losses.html")
    page = show(tmp_path / "losses.html")

    def colours():
        return page.evaluate(
            "() => { const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]; }"
        )

    assert colours() == ["rgb(255, 255, 255)", "rgb(34, 34, 34)"]
    page.emulate_media(color_scheme="dark")
    assert colours() == ["rgb(22, 22, 22)", "rgb(221, 221, 221)"]
    drawing = page.locator("#figure")
    assert "invert(1)" in drawing.evaluate("one => getComputedStyle(one).filter")
    assert (
        drawing.locator(".main-svg").first.evaluate("one => getComputedStyle(one).backgroundColor")
        == "rgba(0, 0, 0, 0)"
    )


def test_drag_zooms_and_double_click_resets(show, tmp_path):
    """Dragging zooms into the dragged range; a double click restores the full one."""
    save(loss_curves({"a": [9.0, 5.0, 4.0, 3.5, 3.2], "b": [8.0, 7.0]}), tmp_path / "curves.html")
    page = show(tmp_path / "curves.html")
    whole = ranges(page)
    area = page.locator(".nsewdrag").bounding_box()
    page.mouse.move(area["x"] + area["width"] * 0.25, area["y"] + area["height"] / 2)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] * 0.5, area["y"] + area["height"] / 2, steps=5)
    page.mouse.up()
    (left, right), _ = ranges(page)
    width = whole[0][1] - whole[0][0]
    assert [left, right] == pytest.approx([whole[0][0] + width / 4, whole[0][0] + width / 2], abs=0.02 * width)
    page.mouse.dblclick(area["x"] + area["width"] / 2, area["y"] + area["height"] / 2)
    page.wait_for_function("left => figure.layout.xaxis.range[0] < left", arg=left)
    assert ranges(page)[0] == pytest.approx(whole[0])


def test_words_are_escaped_and_have_hover_texts(show, words_page):
    """Markup in words is shown as text; hovering over a word names its neighbours."""
    page = show(words_page)
    assert page.locator(".textpoint").all_text_contents() == WORDS
    assert page.evaluate("() => window.attacked") is None
    for word in ("queen", ATTACK):
        page.mouse.move(*on_screen(page, word))
        page.wait_for_function("start => document.querySelector('.hovertext')?.textContent.startsWith(start)", arg=word)
        assert f"{word}: near " in page.locator(".hovertext").text_content()


def test_no_button_uploads_the_figure(show, words_page):
    """The toolbar has only buttons that download, zoom, pan and reset."""
    buttons = show(words_page).locator(".modebar-btn").evaluate_all("all => all.map(one => one.dataset.title)")
    assert buttons == ["Download plot as a PNG", "Zoom", "Pan", "Zoom in", "Zoom out", "Autoscale", "Reset axes"]


def test_wheel_zooms_around_the_mouse(show, words_page):
    """The visible range shrinks, and the word under the mouse stays visible."""
    page = show(words_page)
    whole = ranges(page)
    page.mouse.move(*on_screen(page, "ship"))
    page.mouse.wheel(0, -300)
    page.wait_for_function("right => figure.layout.xaxis.range[1] != right", arg=whole[0][1])
    for (low, high), (old_low, old_high), place in zip(ranges(page), whole, point(page, "ship"), strict=True):
        assert high - low < old_high - old_low
        assert low < place < high


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("queen", "queen"),
        ("QUEEN", "queen"),
        ("har", "harbour"),
        ("kingd", "Kingdom"),
        ("king", "king"),
        ("<b>", "<b>"),
    ],
)
def test_search_highlights_and_centres_a_word(show, words_page, typed, found):
    """Typing a word or its beginning, in any case, centres it in red and fades the others."""
    page = show(words_page)
    page.get_by_label("Find a word").press_sequentially(typed)
    (left, right), (bottom, top) = ranges(page)
    assert [(left + right) / 2, (bottom + top) / 2] == pytest.approx(point(page, found))
    fills = page.locator(".points .point").evaluate_all("points => points.map(point => point.style.fill)")
    assert [word for word, fill in zip(WORDS, fills, strict=True) if fill == "rgb(208, 0, 0)"] == [found]
    text = page.locator(".textpoint text").nth(WORDS.index("sail" if found != "sail" else "sea"))
    assert text.evaluate("text => text.style.fill") == "rgb(187, 187, 187)"


def test_search_reports_unknown_words_and_resets(show, words_page):
    """An unknown word gives a message; an empty search box restores the full view."""
    page = show(words_page)
    whole = ranges(page)
    box = page.get_by_label("Find a word")
    box.fill("queen")
    assert ranges(page) != whole
    box.fill("xyzzy")
    assert page.locator(".search output").text_content() == "not in this figure"
    assert ranges(page) == whole
    box.fill("")
    assert page.locator(".search output").text_content() == ""
    assert page.evaluate("() => figure.data[0].selectedpoints") is None


def test_document_with_tables_and_figures(show, tmp_path):
    """A page draws all its figures; markup in tables is shown as text."""
    wv = KeyedVectors(3)
    wv.add_vectors(WORDS, np.random.default_rng(2).normal(size=(len(WORDS), 3)).astype(np.float32))
    blocks = [
        Heading(ATTACK),
        Table([ATTACK], [[word] for word in WORDS]),
        word_map(wv, WORDS),
        word_map(wv, WORDS),
    ]
    save(Document(ATTACK, blocks), tmp_path / "page.html")
    page = show(tmp_path / "page.html")
    assert page.title() == ATTACK
    assert page.locator("td").all_text_contents() == WORDS
    assert page.evaluate("() => window.attacked") is None
    assert page.locator(".textpoint").count() == 2 * len(WORDS)
    second = page.get_by_label("Find a word").nth(1)
    second.fill("queen")
    selected = [page.evaluate(f"() => figure{number}.data[0].selectedpoints ?? null") for number in (2, 3)]
    assert selected == [None, [WORDS.index("queen")]]
