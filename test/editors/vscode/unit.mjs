// What is drawn at concurrent breakpoints, the list of findings, and how one moves through a
// schedule, from messages as a server sends them; no editor runs. EXTENSION is the
// extension's folder, with its packages.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';

const { EXTENSION } = process.env;
const { buildSync } = createRequire(path.join(EXTENSION, 'package.json'))('esbuild');
const source = async (file) => {
	const { outputFiles } = buildSync({ entryPoints: [path.join(EXTENSION, 'src', file)], bundle: true, write: false, format: 'esm' });
	return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
};
const { marksOf, icon } = await source('breaks/render.ts');
const { rows, open } = await source('explorer/render.ts');
const { Walk } = await source('panel/walk.ts');

const side = (side, order, line, more) => ({
	uri: 'file:///m/a.go', range: { start: { line, character: 1 }, end: { line, character: 9 } },
	side, of: 2, order, label: 'f', lost: '', text: `x = ${side}`, ...more,
});
const breakpoint = (id, sides, more) => ({
	id, kind: 'race', if: '', order: [1, 2], timeout: '100ms', off: false, note: '', sides, hover: `**${id}**`, ...more,
});
const marks = (breakpoints, more) => marksOf([{ root: 'file:///m', breakpoints, ...more }], 'file:///m/a.go')
	.map(({ line, look, label, text }) => [line, look, label, text].join(' ').trim());
const last = { runs: 100, hits: 100, failed: 97, when: '' };

const step = (number, goroutine, line, more) => ({
	number, goroutine, lane: 0, file: 'a.go', line, code: `code ${line}`, happens: `did ${number}`, differs: false,
	location: { uri: 'file:///m/a.go', range: { start: { line: line - 1, character: 1 }, end: { line: line - 1, character: 9 } } }, ...more,
});
/** Two runs: switches before steps 3 and 8, a fold of 4 to 7. */
const schedule = (more) => ({
	id: 'f', entry: 'TestX', title: '', sentence: '', must: '', state: '', note: '', svg: '', markdown: '', lanes: ['a', 'b'],
	failing: [step(1, 'a', 5), step(2, 'a', 6, { row: 1, twin: 1 }), step(3, 'b', 5, { switch: 1 }), { number: 4, until: 7, goroutine: 'b', file: '', line: 0, code: '4 steps of b', happens: '' },
		step(8, 'a', 9, { row: 2, switch: 2, differs: true, other: '-', role: 'fails' })],
	passing: [step(1, 'a', 6, { twin: 2 }), step(2, 'b', 5)],
	switches: [{ number: 1, from: 'a', to: 'b', preempt: true, after: 2, before: 3, runs: 20, failed: 0, words: 'switch 1: a is stopped, b goes on; without it 0 of 20 runs fail' }, { number: 2, from: 'b', to: 'a', preempt: false, after: 7, before: 8, words: 'switch 2: b waits, a goes on' }],
	orders: [{ number: 1, before: 2, after: 8 }], steps: { failing: 8, passing: 2 }, ...more,
});

const panel = {
	'begins at the explanation, and goes step by step to either end': () => {
		const w = new Walk(schedule());
		assert.equal(w.current.number, 2);
		assert.ok(w.move(1) && w.move(1) && w.move(1) && !w.move(1));
		assert.equal(w.current.number, 8);
		assert.ok(w.move(-1) && w.current.until === 7);
		assert.ok(w.end(false) && w.current.number === 1 && !w.move(-1));
	},
	'jumps from switch to switch': () => {
		const w = new Walk(schedule());
		assert.ok(w.jump(true) && w.current.number === 3);
		assert.ok(w.jump(true) && w.current.number === 8 && !w.jump(true));
		assert.ok(w.jump(false) && w.current.number === 3 && !w.jump(false));
		assert.match(w.words(), /^switch 1: a is stopped, b goes on; without it 0 of 20 runs fail; step 3 of 8 of the failing run: b, a\.go:5: /);
	},
	'the other run: the same step, or the nearest before it': () => {
		const w = new Walk(schedule());
		assert.ok(w.other() && w.run === 'passing' && w.current.number === 1);
		assert.ok(w.other() && w.run === 'failing' && w.current.number === 2);
		w.end(true);
		assert.match(w.words(), /in the passing run: not at all$/);
		assert.ok(w.other() && w.current.number === 1);
		assert.ok(w.jump(false) === false && w.run === 'failing', 'only the failing run has switches');
		assert.equal(new Walk(schedule({ passing: [], steps: { failing: 8, passing: 0 } })).other(), false);
	},
	'a fold is opened in parts, and the place is kept': () => {
		const w = new Walk(schedule());
		assert.equal(w.unfold(), false);
		w.move(2);
		assert.ok(w.unfold());
		assert.deepEqual(w.ranges, [{ run: 'failing', from: 4, to: 7 }]);
		w.replace(schedule({ failing: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => step(n, 'a', n)) }));
		assert.equal(w.current.number, 4);
		assert.ok(w.fold() && !w.fold());
		w.replace(schedule());
		assert.equal(w.current.until, 7);
	},
	'what can be left out: the switch here, the one after, orders': () => {
		const w = new Walk(schedule());
		assert.deepEqual(w.questions().map((q) => q.switch ?? -q.order), [1, -1]);
		w.goTo('failing', 8);
		assert.deepEqual(w.questions().map((q) => q.switch ?? -q.order), [2, -1]);
		w.goTo('failing', 5);
		assert.deepEqual(w.questions(), []);
		w.goTo('passing', 1);
		assert.deepEqual(w.questions(), []);
	},
	'values seen before, the latest of each line': () => {
		const w = new Walk(schedule());
		w.end(true);
		assert.deepEqual(w.valuesIn('file:///m/a.go', 9), [{ line: 4, text: 'b: did 3' }, { line: 5, text: 'a: did 2' }]);
		assert.equal(w.valuesIn('file:///m/a.go', 1).length, 1);
		assert.deepEqual(w.valuesIn('file:///m/b.go', 9), []);
	},
	'a debugger that stops is followed, forward first': () => {
		const w = new Walk(schedule());
		assert.ok(w.follow('file:///m/a.go', 4) && w.current.number === 3);
		assert.ok(w.follow('file:///m/a.go', 8) && w.current.number === 8);
		assert.ok(w.follow('file:///m/a.go', 5) && w.current.number === 2);
		assert.equal(w.follow('file:///m/a.go', 77), false);
	},
};

const tests = {
	'a mark at each end, the first to go is known': () => assert.deepEqual(
		marks([breakpoint('b1', [side(1, 2, 9), side(2, 1, 4)])]), ['4 first 2', '9 later 1']),
	'sides in other files are left out': () => assert.deepEqual(
		marks([breakpoint('b1', [side(1, 1, 9), side(2, 2, 4, { uri: 'file:///m/b.go' })])]), ['9 first 1']),
	'the outcome of the last runs': () => assert.deepEqual(
		marks([breakpoint('b1', [side(1, 1, 4), side(2, 2, 9)], { last })]), ['4 first 1 hit 100/100, failed 97', '9 later 2 hit 100/100, failed 97']),
	'off': () => assert.deepEqual(marks([breakpoint('b1', [side(1, 1, 4)], { last, off: true })]), ['4 off 1 off']),
	'lost, with the reason': () => assert.deepEqual(
		marks([breakpoint('b1', [side(1, 1, 4), side(2, 2, 9, { lost: 'no such function' })], { off: true })]),
		['4 off 1 off', '9 lost 2 lost: no such function']),
	'both sides on one line are one mark': () => assert.deepEqual(
		marks([breakpoint('b1', [side(1, 1, 4), side(2, 2, 4)], { last })]), ['4 first 12 hit 100/100, failed 97']),
	'several breakpoints on one line: the one that counts most, and all texts': () => {
		const all = [breakpoint('b1', [side(1, 1, 4)], { off: true }), breakpoint('b2', [side(2, 2, 4)], { last }), breakpoint('b3', [side(3, 3, 4)])];
		assert.deepEqual(marks(all), ['4 later … b1 off · b2 hit 100/100, failed 97']);
		assert.equal(marksOf([{ root: '', breakpoints: all }], 'file:///m/a.go')[0].hover, '**b1**\n\n---\n\n**b2**\n\n---\n\n**b3**');
	},
	'a first place waits for the second': () => assert.deepEqual(
		marks([], { pending: { uri: 'file:///m/a.go', range: side(1, 1, 7).range, text: 'x' } }), ['7 pending 1 pair with another place']),
	'pictures of different looks differ, and are whole': () => {
		const all = ['first', 'later', 'off', 'lost', 'pending'].flatMap((look) => ['dark', 'light'].map((theme) => icon(look, '1', theme)));
		assert.equal(new Set(all).size, 10);
		for (const uri of all) assert.match(decodeURIComponent(uri), /^data:image\/svg\+xml,<svg [^>]*>.*>1<\/text>.*<\/svg>$/);
	},
};

const finding = (id, stands, more) => ({
	id, stands, entry: 'TestX', package: 'm/pool', brief: `panic ${id}`, headline: `panic ${id} (a.go:3)`, about: '',
	replay: { runs: 100, failed: 97 }, level: 'native',
	location: { uri: 'file:///m/pool/a%20b.go', range: { start: { line: 2, character: 0 }, end: { line: 2, character: 1 } } }, ...more,
});
const verdict = (entry, stands, line) => ({ entry, package: 'm/pool', stands, line, message: `${entry}: ${line}` });
const shown = (list) => rows(list).flatMap((p) => [`${p.label} ${p.look} ${p.description}`.trim(), ...p.children.map((r) => `  ${r.look}: ${r.label} | ${r.description}`)]);

Object.assign(tests, {
	'findings by package: what fails first, what is proved last': () => assert.deepEqual(
		shown({
			findings: [finding('c', 'fixed'), finding('b', 'changed', { about: 'changed since found' }), finding('a', 'failing'), finding('d', 'failing', { package: 'm/other' })],
			verdicts: [verdict('TestY', 'proved', '✓ all schedules (7 runs)'), verdict('TestZ', 'searched', '✓ no failure in 100 schedules')],
		}), [
			'other failing 1 open', '  failing: panic d | TestX · a b.go:3',
			'pool failing 2 open', '  failing: panic a | TestX · a b.go:3', '  changed: panic b | changed since found · TestX · a b.go:3',
			'  searched: TestZ | no failure in 100 schedules', '  fixed: panic c | TestX · a b.go:3', '  proved: TestY | all schedules (7 runs)',
		]),
	'packages without open findings come last': () => assert.deepEqual(
		shown({ findings: [finding('a', 'fixed', { package: 'm/a' }), finding('b', 'older', { package: 'm/b' })] }).filter((l) => l[0] !== ' '), ['b older', 'a fixed']),
	'the badge counts what fails and what changed since': () => assert.deepEqual(
		open({ findings: ['failing', 'changed', 'older', 'fixed'].map((s) => finding(s, s)) }).map((f) => f.id), ['failing', 'changed']),
	'no list, no rows': () => assert.deepEqual(rows({}), []),
	'a finding without a place is named all the same': () => assert.deepEqual(
		shown({ findings: [finding('a', 'failing', { location: undefined })] })[1], '  failing: panic a | TestX'),
});

let failed = 0;
for (const [what, all] of Object.entries({ drawn: tests, schedule: panel })) {
	for (const [name, test] of Object.entries(all)) {
		try {
			test();
			console.log(`pass: vscode: ${what}: ${name}`);
		} catch (error) {
			failed++;
			console.log(`fail: vscode: ${what}: ${name}: ${error.message.replace(/\s+/g, ' ')}`);
		}
	}
}
process.exitCode = failed === 0 ? 0 : 1;
