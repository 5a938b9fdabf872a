// What is drawn at concurrent breakpoints, from messages as a server sends them;
// no editor runs. EXTENSION is the extension's folder, with its packages.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';

const { EXTENSION } = process.env;
const { buildSync } = createRequire(path.join(EXTENSION, 'package.json'))('esbuild');
const { outputFiles } = buildSync({ entryPoints: [path.join(EXTENSION, 'src/breaks/render.ts')], bundle: true, write: false, format: 'esm' });
const { marksOf, icon } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);

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

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
	try {
		test();
		console.log(`pass: vscode: marks: ${name}`);
	} catch (error) {
		failed++;
		console.log(`fail: vscode: marks: ${name}: ${error.message.replace(/\s+/g, ' ')}`);
	}
}
process.exitCode = failed === 0 ? 0 : 1;
