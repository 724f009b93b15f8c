// The part of a page that answers to its reader: first the arithmetic, as in Python, then the page.
// Words from data are only ever set as text.
"use strict";
{
const { abs, max, min, round, sqrt } = Math, NOISE = 1e-12, CELLS = ["tp", "fn", "fp", "tn"];
const divided = (part, whole) => whole ? part / whole : null;
const sum = values => values.reduce((total, value) => total + value, 0);
// Of every share what it counts, and the rest of what that is counted among.
const shares = ({ tp, fn, fp, tn }) => ({
	recall: [tp, fn], precision: [tp, fp], specificity: [tn, fp], npv: [tn, fn], fpr: [fp, tn], fnr: [fn, tp],
	accuracy: [tp + tn, fn + fp], error_rate: [fn + fp, tp + tn], f1: [tp, fp + fn],
	predicted_positive_rate: [tp + fp, fn + tn],
});

// Where another share of positives is expected, only rates within one class keep their intervals.
function rates(cells, squares, z, other) {
	const { tp, fn, fp, tn } = cells, found = {}, squared = shares(squares ?? cells);
	const add = (name, value, low = null, high = null) => { found[name] = { value, low, high }; };
	for (const [name, counted] of Object.entries(shares(cells))) {
		const whole = sum(counted), share = divided(counted[0], whole);
		// Weighted rows are worth as many as Kish counts.
		const zz = z * z * sum(squared[name]) / whole ** 2;
		const low = share => share && (share + zz / 2 - sqrt(zz * (share * (1 - share) + zz / 4))) / (1 + zz);
		const ends = share === null ? [null] : [share, low(share), 1 - low(1 - share)];
		if (other && !/recall|spec|fpr|fnr/.test(name)) ends.length = 1;
		add(name, ...(name === "f1" ? ends.map(end => end && 2 * end / (1 + end)) : ends));
	}
	const known = ["recall", "specificity"].map(name => found[name].value).filter(side => side !== null);
	add("balanced_accuracy", divided(sum(known), known.length));
	add("informedness", known.length > 1 ? sum(known) - 1 : null);
	add("mcc", divided(tp * tn - fp * fn, sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))));
	add("lift", divided(tp * (tp + fn + fp + tn), (tp + fp) * (tp + fn)));
	return found;
}

// Sums down to every threshold; at place 0, a little above the first, nothing is called positive.
function decode(curve) {
	if (curve.tp) return curve;
	const summed = (steps, unit, total = 0) => [0, ...steps.map(step => (total += step) * unit)];
	const [first, ...more] = curve.steps ?? [], wholes = summed(more, -1).map(step => (first + step) / `1e${curve.digits}`);
	const each = curve.thresholds ?? wholes;
	return {
		...curve, thresholds: [each[0] + (each[0] - each.at(-1) || 1) / 50, ...each],
		tp: summed(curve.positives, curve.unit), fp: summed(curve.negatives, curve.unit),
		squares: curve.squares?.map(side => summed(side, curve.square_unit)),
	};
}
// The counts to expect with another share of positives.
function expected(curve, prior) {
	const known = decode(curve), sides = [known.tp, known.fp], [up, down] = sides.map(side => side.at(-1));
	const n = up + down, by = prior == null || !up || !down ? [1, 1] : [prior * n / up, (1 - prior) * n / down];
	const scaled = (sides, power) => sides.map((side, at) => side.map(rows => rows * by[at] ** power));
	const [tp, fp] = scaled(sides, 1);
	return { ...known, tp, fp, squares: scaled(known.squares ?? sides, 2), n };
}
// Called positive down to one place, and negative below the other.
const cut = (tp, fp, high, low = high) =>
	({ tp: tp[high], fn: tp.at(-1) - tp[low], fp: fp[high], tn: fp.at(-1) - fp[low] });
// What differs by rounding only is equal, and of equals the first is the highest threshold.
const lowest = (values, noise) => {
	const least = min(...values) + noise;
	return values.findIndex(value => value <= least);
};

function cheapest(curve, costs, prior) {
	const { tp, fp } = expected(curve, prior), [hit, miss, alarm, rest] = costs.flat();
	const paid = tp.map((rows, place) => (alarm - rest) * fp[place] - (miss - hit) * rows);
	return lowest(paid, NOISE * max(...paid.map(abs)));
}
// Of equally cheap pairs the one that leaves fewest rows undecided, then the highest.
function region(curve, costs, price, prior) {
	const { tp, fp, n } = expected(curve, prior), prices = [...costs.flat(), price];
	const [hit, miss, alarm, rest] = prices.map(cost => cost - price), noise = NOISE * n * max(...prices.map(abs));
	let least = Infinity, partner = 0;
	const pairs = tp.map((_, low) => {
		const { tp: hits, fn, fp: alarms, tn } = cut(tp, fp, low), above = hit * hits + alarm * alarms;
		least = min(least, above);
		if (above <= least + noise) partner = low;
		return [partner, low, least + miss * fn + rest * tn];
	});
	const limit = min(...pairs.map(([, , paid]) => paid)) + noise, cheap = pairs.filter(([, , paid]) => paid <= limit);
	const called = place => tp[place] + fp[place];
	return cheap[lowest(cheap.map(([high, low]) => called(low) - called(high)), NOISE * n)].slice(0, 2);
}
const followed = (curve, name) => {
	const { tp, fp } = decode(curve);
	return tp.map((_, place) => rates(cut(tp, fp, place), null, 1)[name].value ?? -Infinity);
};
const best = (curve, name) => lowest(followed(curve, name).map(value => -value), 1e-14);
const reaching = (curve, name, least) => followed(curve, name).findIndex(value => value >= least - NOISE);

// As in Python a half goes to the even side.
function rounded(value, digits) {
	const even = value * 2 ** (digits + 1) % 1 === 0 && abs(value) * 10 ** digits % 2 === 0.5;
	return (even ? value * (1 - NOISE) : value).toFixed(digits);
}
const scientific = value => value.toExponential(1).replace(/([+-])(\d)$/, "$10$2");
function count(value) {
	if (abs(value) >= 1e12) return value.toExponential(3);
	const written = +rounded(value, 2);
	if (written || !value) return written.toLocaleString("en");
	return abs(value) < 1e-6 ? scientific(value) : value.toPrecision(2);
}
// What is not 0 or 1 is never written as if it were. A shift of 2 is for percent.
function text(value, digits = 3, shift = 0) {
	if (value === null) return "?";
	if (!shift && abs(value) >= 1000) return count(value);
	const near = abs(value) > 0.5 ? Math.sign(value) : 0, scale = 10 ** shift, sure = +value.toFixed(13);
	if (abs(value - near) <= (near && NOISE)) return (near * scale).toFixed(digits);
	if (abs(value) * scale < 1e-6) return scientific(value * scale);
	while (+rounded(sure, digits + shift) === near) digits += 1;
	return (rounded(sure, digits + shift) * scale).toFixed(digits);
}
globalThis.tallymark = Object.freeze({ rates, decode, cheapest, region, best, reaching, text, count });

const part = name => document.getElementById(`live-${name}`);
const field = name => part("form").elements[`live-${name}`];
const all = selector => [...document.querySelectorAll(selector)];
const set = (node, words) => node.textContent === words || (node.textContent = words);
const made = (parent, markup) => {
	parent.insertAdjacentHTML("beforeend", markup);
	return parent.lastChild;
};
const number = written => {
	const plain = written.trim().replace(",", ".").replace(/\s*%$/, "e-2"), size = abs(plain);
	// Sums and squares of anything larger or smaller would not be numbers.
	return plain && (size === 0 || size > 1e-99 && size < 1e99) ? +plain : null;
};
let data, models, pictures, own, nodes, came, waiting;
// Set by the controls: the model and the class, how the slider is read, and the rest by its name.
let mine, kind, by, costs, priced, prior, price;

function read() {
	const given = name => {
		const value = number(field(name).value);
		field(name).value = value ?? "";
		return value;
	};
	[mine, kind, by] = [models[field("model").selectedIndex], field("class").selectedIndex, field("by").value];
	[price, prior, ...costs] = ["price", "prior", ...CELLS.map(cell => `cost-${cell}`)].map(given);
	if (!(prior > 0 && prior < 1)) prior = null;
	field("prior").value = prior ?? "";
	priced = costs.some(cost => cost !== null);
	costs = priced ? costs.map(cost => cost ?? 0) : [0, 1, 1, 0];
	for (const model of models) {
		model.curve = expected(model.curves[kind], prior);
		// Values by place; at -1 those of the answers as they came, where no threshold gave them.
		[model.now, model.page] = [prior, data.prior].map(prior => {
			const [curve, answers] = [model.curves, model.came].map(all => expected(all[kind], prior)), known = [];
			return place => known[place] ??= place < 0 ? valued(answers, 1) : valued(curve, place);
		});
	}
}
function valued({ tp, fp, squares, n, thresholds }, high, low = high) {
	const cells = cut(tp, fp, high, low), four = Object.values(cells), values = {};
	const intervals = rates(cells, cut(...squares, high, low), data.z, prior !== null);
	for (const name in intervals) values[name] = intervals[name].value;
	const positives = tp.at(-1), negatives = fp.at(-1), threshold = thresholds?.[high];
	const paid = (four, costs) => sum(four.map((rows, at) => rows * costs[at]));
	const undecided = low > high ? n - sum(four) : 0, left = undecided / n;
	const total = paid(four, costs) + price * undecided, saved = four => paid(four, costs) - total;
	const share = (cells.tp + cells.fp) / n, calls = [share, 1 - left - share];
	const likely = prior ?? positives / n, miss = likely * (costs[1] - costs[0]);
	const weight = miss / (miss + (1 - likely) * (costs[2] - costs[3]));
	return {
		...values, ...cells, intervals, four, n, positives, negatives, threshold, share, undecided, left, total, weight,
		mean_cost: total / n, aim: priced ? total / n : values.f1,
		page_cost: paid(four, data.costs ?? []) / n,
		all: saved([positives, 0, negatives, 0]), none: saved([0, positives, 0, negatives]),
		random: saved([positives, negatives].flatMap(rows => calls.map(call => call * rows))) + price * undecided,
		normalised: values.fnr * weight + values.fpr * (1 - weight),
		benefit: (cells.tp - cells.fp * threshold / (1 - threshold)) / n,
	};
}
const last = ({ curve }) => curve.tp.length - 1;
const written = ({ curve }, place) => place < 0 ? "-" : place ? `${curve.thresholds[place]}` : "none";
// Readings only rise or only fall from place to place; of equal ones the first is meant.
function nearest(value, reading = by, model = mine) {
	const at = place => model.now(place)[reading], side = reading === "threshold" ? -1 : 1;
	const reached = value => {
		let [above, below] = [-1, last(model)];
		while (below - above > 1) {
			const middle = above + below >> 1;
			[above, below] = side * (at(middle) - value) < 0 ? [middle, below] : [above, middle];
		}
		return below;
	};
	const { scores, exact, at: came, until } = model.curve;
	if (!scores) return -1;
	if (side < 0 && at(came) <= value && value <= until) return came;
	const after = reached(value), before = reached(at(max(after - 1, 0)));
	// Rows are called as Python does: the next score from there on has the next threshold.
	const called = exact && side < 0 ? at(after) < value
		: abs(at(before) - value) <= abs(at(after) - value);
	return called ? before : after;
}
const typed = (value, reading = "threshold") =>
	value === "none" ? 0 : number(value ?? "") === null ? mine.cut : nearest(number(value), reading);
// The other models are cut at the same reading.
function move(high, low = mine.low) {
	const alike = (place, model) => model === mine ? place : nearest(mine.now(place)[by], by, model);
	if (high >= 0) for (const model of models) {
		model.cut = alike(high, model);
		model.low = max(model.cut, alike(max(high, low), model));
	}
	render();
}
const answered = ({ curve, now }) => curve.at >= 0 || now(-1).n > 0;
function reset() {
	for (const model of models) model.cut = model.low = answered(model) ? model.curve.at : best(model.curve, "f1");
	render();
}
// Where the slider stands; answers that no threshold gave call some share of the rows positive.
const here = () => mine.cut < 0 ? nearest(mine.shown.share, "share") : mine.cut;
// On the slider as it is read, the right is more.
const turned = place => by === "threshold" ? last(mine) - place : place;

const address = () => new URLSearchParams(location.hash.slice(1));
const state = () =>
	Object.fromEntries([...new FormData(part("form"))].map(([name, value]) => [name.slice(5), value]));
function load() {
	const given = address(), [at, low] = [given.get("at"), given.get("low")];
	part("form").reset();
	for (const name in came) if (given.has(name)) {
		field(name).value = given.get(name);
		if (field(name).selectedIndex < 0) field(name).selectedIndex = 0;
	}
	read();
	reset();
	if (at ?? low) move(typed(at), typed(low));
	draw();
	if (given.has("try")) part("said").scrollIntoView();
}
function save() {
	const changed = Object.entries(state()).filter(([name, value]) => value !== came[name]);
	if (changed[0] || address().has("try")) try {
		history.replaceState(null, "", `#try&${new URLSearchParams(changed)}`);
	} catch { /* a frame without an address of its own */ }
}

const along = (value, from, to, start, end) => start + (value - from) / (to - from) * (end - start);
const pixels = ({ axes }, pair, values) => {
	const [x, y] = pair.split(" ").map(name => values[name]);
	return [along(x, ...axes), y === undefined ? axes[6] : along(y, ...axes.slice(4))];
};
function point(picture) {
	const { key, when, axes, pairs, marks } = picture;
	for (const { node, model, at } of marks) {
		const values = key === "rejection" ? model.shown : model[when](model.cut);
		const [x, y] = pixels(picture, pairs[at], values);
		const seen = x > axes[2] - 1 && x < axes[3] + 1 && y > axes[7] - 1 && y < axes[6] + 1;
		node.setAttribute("transform", seen ? `translate(${x} ${y})` : "scale(0)");
	}
}
// As many places as a picture can show.
const some = model => {
	const steps = min(last(model), 500);
	return Array.from({ length: steps && steps + 1 }, (_, at) => round(at / steps * last(model)));
};
const trail = (picture, model) =>
	some(model).map(place => ({ model, place, at: pixels(picture, picture.pairs[0], model[picture.when](place)) }));
// The place next to the pointer; the course is followed across.
function pointed(picture, event, among, most) {
	const { x, y } = new DOMPoint(event.x, event.y).matrixTransform(picture.svg.getScreenCTM().inverse());
	const off = ({ at }) => Math.hypot(at[0] - x, picture === own[1] ? 0 : at[1] - y);
	const near = (one, other) => off(other) < (one ? off(one) : most) ? other : one;
	return among.flatMap(model => trail(picture, model)).reduce(near, null) ?? {};
}
function watch(picture) {
	const { svg } = picture, box = part("box");
	svg.onpointerdown = svg.onpointermove = event => {
		if (event.buttons && svg.id) {
			svg.setPointerCapture(event.pointerId);
			move(pointed(picture, event, [mine], Infinity).place);
		}
		const { model, place } = pointed(picture, event, models, 20);
		box.hidden = !model;
		if (!model) return;
		const values = model[picture.when](place);
		const counts = CELLS.map(cell => `${cell.toUpperCase()} ${count(values[cell])}`).join(", ");
		set(box, `${model.name} from ${written(model, place)}: ${counts}`.trim());
		box.style.translate = `${min(event.x, innerWidth - 300)}px ${event.y}px`;
	};
	svg.onpointerleave = () => { box.hidden = true; };
}
// The curves of this part, which change with everything but the threshold.
function draw() {
	const { axes, pairs } = own[1];
	const [across, up] = [by, "aim"].map(name => models.flatMap(model => some(model).map(place => model.now(place)[name])));
	pairs[0] = `${by} aim`;
	axes.splice(0, 2, min(...across), max(...across));
	axes.splice(4, 2, min(0, ...up), priced && max(...up) || 1);
	for (const picture of own) models.forEach((model, m) => {
		const line = trail(picture, model).map(({ at }) => at.map(round)).join("L");
		picture.lines[m].setAttribute("d", line && `M${line}`);
	});
	render();
}

function render() {
	const reject = price !== null;
	for (const model of models) {
		const { curve, now, cut, low } = model;
		model.shown = reject && cut >= 0 ? valued(curve, cut, low) : now(cut);
	}
	const { curve, now, shown } = mine, size = last(mine), place = here();
	const [x0, , , , y0, y1] = own[1].axes.map(value => `${+value.toPrecision(3)}`);
	const reading = part(`by-${by}`).parentNode.textContent, show = field("show").value;
	const facts = {
		...data.classes[kind], ...shown, scores: curve.scores, prior, priced, reject, reading,
		model: mine.name || "The model", from: mine.cut > 0 ? `from ${written(mine, mine.cut)} on` : "",
		note: `${data.note} ${curve.note}`.trim(), goal: priced ? "cost of a row" : "F1",
		x0, y0, y1, x1: by === "threshold" ? "none" : "1",
		answered: answered(mine), came: now(curve.at).total - shown.total,
		moved: models.some(({ curve, cut, shown }) => cut !== curve.at || shown.left),
	};
	for (const node of nodes.when) node.hidden = !facts[node.dataset.when];
	for (const node of nodes.fill) {
		const value = facts[node.dataset.fill];
		set(node, typeof value === "string" ? value : node.matches(".live-rate") ? text(value) : count(value ?? 0));
	}
	nodes.matrix.forEach((cell, at) => {
		const { four } = shown, wholes = [four[at & 2] + four[at | 1], four[at & 1] + four[at | 2]];
		const [row, column] = wholes.map(whole => divided(four[at], whole));
		const rows = count(four[at]), percent = `${text(show === "column" ? column : row, 1, 2)}%`;
		set(cell, show === "counts" ? `${rows} (${percent})` : `${percent} (${rows})`);
		cell.className = `h${max(round(10 * row), row > 0)}`;
	});
	for (const { model, name, cell } of nodes.rates) {
		const { low, high } = model.shown.intervals[name] ?? {}, [value, interval] = cell.children;
		const digits = high > low ? max(3, min(6, Math.ceil(-Math.log10(high - low)))) : 3;
		set(value, name === "threshold" ? written(model, model.cut) : text(model.shown[name], digits));
		set(interval, low == null || data.grouped ? "" : `[${text(low, digits)}, ${text(high, digits)}]`);
		cell.style = `--low: ${low}; --high: ${high}`;
	}
	part("threshold").value = written(mine, mine.cut);
	part("lower").value = reject ? written(mine, mine.low) : "";
	for (const name of ["share", "recall"]) part(name).value = text(now(mine.cut)[name]);
	for (const [name, at] of [["at", place], ["low", max(place, mine.low)]]) {
		part(name).max = size;
		part(name).value = turned(at);
		part(name).setAttribute("aria-valuetext", `${reading} ${text(now(at)[by] ?? null)}`);
	}
	pictures.forEach(point);
	clearTimeout(waiting);
	waiting = setTimeout(save, 300);
}

function start(given) {
	const form = part("form"), section = form.closest("section");
	section.hidden = false;
	for (const link of all(`nav a[href="#${section.id}"]`)) link.parentNode.hidden = false;
	// Out of its section the bar stays in sight to the end of the page.
	section.after(form);
	data = given;
	models = data.models.map((model, m) => ({ ...model, curves: model.curves.map(decode), series: `s${m % 6}` }));
	nodes = {
		when: all("[data-when]"), fill: all("[data-fill]"), matrix: all("#live-matrix td:not(:first-child)"), rates: [],
	};
	for (const { label } of data.classes) field("class").append(new Option(label));
	for (const model of models) {
		field("model").append(new Option(model.name));
		for (const row of part("rates").rows) {
			const { name } = row.dataset, inner = name ? "td><b></b> <i></i>" : "th scope=col>";
			const cell = made(row, `<${inner}`);
			cell.className = model.series;
			if (name) nodes.rates.push({ model, name, cell });
			else set(cell, model.name || "value");
		}
	}
	pictures = all("svg[data-live]").map(svg => {
		const { live: key } = svg.dataset, axes = svg.dataset.axes.split(" ").map(Number), own = svg.id;
		const pairs = data.pictures[key].slice(0, models[1] ? 1 : 4), height = axes[7] - axes[6];
		const lines = own && models.map(({ series }) => made(svg.querySelector("g"), `<path class="${series} l"/>`));
		const marks = models.flatMap(model => pairs.map((pair, at) => ({ model, at, node: made(svg, pair.includes(" ")
			? `<circle class="live-point h ${models[1] ? model.series : `s${at}`}" r=6 />`
			: `<path class=ref d="M0 0V${height}"/>`) })));
		// Those of the page were drawn for its own share of positives.
		return { svg, key, axes, pairs, lines, marks, when: own ? "now" : "page" };
	});
	own = pictures.filter(({ svg }) => svg.id);
	pictures.forEach(watch);
	CELLS.forEach((cell, at) => { field(`cost-${cell}`).defaultValue = data.costs?.[at] ?? ""; });
	field("prior").defaultValue = data.prior ?? "";
	read();
	reset();
	came = state();

	for (const control of all("[name^=live-]")) control.onchange = () => {
		const before = kind;
		read();
		if (kind !== before) reset();
		else move(price === null ? mine.cut : here());
		draw();
	};
	const on = (event, actions) => {
		for (const name in actions) part(name)[event] = ({ target }) => actions[name](target.value);
	};
	on("oninput", {
		at: value => move(turned(+value)),
		low: value => move(min(here(), turned(+value)), turned(+value)),
	});
	on("onchange", {
		threshold: value => move(typed(value)), lower: value => move(here(), typed(value)),
		share: value => move(typed(value, "share")), recall: value => move(typed(value, "recall")),
	});
	on("onclick", {
		cheapest: () => move(...(price === null ? [cheapest(mine.curve, costs)] : region(mine.curve, costs, price))),
		best: () => move(best(mine.curve, "f1")),
		reach: () => move(reaching(mine.curve, "recall", number(part("least").value) ?? 0.9)),
		reset,
	});
	onhashchange = () => {
		clearTimeout(waiting);
		if (address().has("try")) load();
	};
	load();
}
if (globalThis.DecompressionStream) {
	const bytes = Uint8Array.from(atob(part("data").textContent), letter => letter.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
	new Response(stream).json().then(start);
}
}
