// Concurrent breakpoints as a person uses them: two lines are paired, marks
// appear, move, change; 100 runs; a finding turned into breakpoints; a debugger
// that stops where both sides have met.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { promisify } from 'node:util';
import { follow, set } from './api.mjs';
import { Shots } from './shots.mjs';
import { until } from './workbench.mjs';

const { HOCKET } = process.env;
const long = 300_000; // builds, and 100 runs, on a busy machine

const leave = 's.user = nil';
const greet = 'return "Hello, " + s.user.Name';

export async function breaksLayer({ test, server, workbench: w, folder }) {
	const { page } = w;
	let out;
	const shots = new Shots(w, (changes) => set(out, changes));
	const step = (name, run) => test(`breaks: ${name}`, run, page);
	const stored = () => JSON.parse(fs.readFileSync(`${folder}/.hocket/breakpoints.json`, 'utf8')).breakpoints ?? [];
	/** Waits for the marks of the file, as "TEXT LOOK NUMBER" by line. */
	const marks = (what, want, ms) => until(what, async () => {
		const got = (await w.marks()).map((m) => `${m.line} ${m.look} ${m.label}`);
		if (got.join() === want.join()) return true;
		throw new Error(`marks are ${got.join() || 'none'}, not ${want.join()}`);
	}, ms);
	const after = (text, pattern, ms) => until(`${pattern} after ${text}`, async () => {
		const found = (await w.afterTexts()).find((a) => a.text.includes(text))?.after ?? '';
		if (pattern.test(found)) return found;
		throw new Error(`there is ${found || 'nothing'}`);
	}, ms);

	const open = await step('a place and one that conflicts with it are paired by a choice', async () => {
		({ out } = await follow(folder, false, () => w.open(server.url(folder), true)));
		await w.quickOpen('session.go');
		await w.cursorAt(leave);
		await w.palette('Hocket: Concurrent Breakpoint Here');
		await w.rows(/session\.go:27/).first().waitFor({ timeout: long });
		await marks('the first place is marked', ['19 pending 1']);
		assert.ok(!fs.existsSync(`${folder}/.hocket/breakpoints.json`) || stored().length === 0, 'nothing is set yet');
		assert.ok(await w.rows('A line I choose').count() === 1);
		await shots.take('breakpoints-pair');
		await w.rows(/session\.go:27/).first().click();
		await marks('a mark at each end', ['19 first 1', '27 later 2']);
		assert.equal(stored().length, 1);
		return stored()[0].kind;
	});
	if (!open) return;

	await step('marks move with lines that are not saved', async () => {
		await page.keyboard.press('Escape');
		await w.cursorAt('package session');
		await page.keyboard.press('Home');
		await page.keyboard.press('Enter');
		await page.keyboard.press('Enter');
		await marks('both two lines below', ['21 first 1', '29 later 2']);
		await page.keyboard.press('Control+z');
		await page.keyboard.press('Control+z');
		await marks('both back', ['19 first 1', '27 later 2']);
	});

	await step('a wrong condition is told where it is typed, a right one is taken', async () => {
		await w.cursorAt(leave);
		await w.palette('Hocket: Edit Concurrent Breakpoint');
		await w.pick('Condition');
		await w.type('t1.s == t2.nobody');
		const message = page.locator('.quick-input-widget .quick-input-message', { hasText: 'nobody' });
		await message.waitFor({ timeout: long });
		const told = await message.innerText();
		assert.equal(stored()[0].if ?? '', '', 'nothing is changed');
		await w.type('t1.s == t2.s');
		await page.locator('.quick-input-widget').waitFor({ state: 'hidden', timeout: long });
		await until('it is in the file', () => stored()[0].if === 't1.s == t2.s');
		return told;
	});

	await step('a hover on the statement explains it', async () => {
		await w.hoverOver(leave);
		await page.locator('.monaco-hover:visible', { hasText: 't1.s == t2.s' }).first().waitFor();
		await page.mouse.move(700, 700);
	});

	await step('the order is changed, the gutter turns it off and on', async () => {
		await w.cursorAt(greet);
		await w.palette('Hocket: Edit Concurrent Breakpoint');
		await w.pick('Order');
		await w.type('2, 1');
		await marks('the other goes first', ['19 later 1', '27 first 2']);
		await w.palette('Hocket: Edit Concurrent Breakpoint');
		await w.pick('Order');
		await w.type('1, 2');
		await marks('as before', ['19 first 1', '27 later 2']);
		await w.lineMenu(27, 'Turn Concurrent Breakpoint On or Off');
		await marks('it is off', ['19 off 1', '27 off 2']);
		await w.lineMenu(27, 'Turn Concurrent Breakpoint On or Off');
		await marks('it is on', ['19 first 1', '27 later 2']);
	});

	await step('100 runs, the outcome is beside the lines', async () => {
		await w.palette('Hocket: Run 100 Times With Concurrent Breakpoints');
		const outcome = await after(leave, /^hit \d+\/100, failed \d+$/, long);
		await after(greet, /^hit \d+\/100, failed \d+$/);
		const [, hit, failed] = /^hit (\d+)\/100, failed (\d+)$/.exec(outcome);
		assert.ok(Number(hit) >= 95 && Number(failed) >= 90, outcome);
		await shots.both('breakpoints');
		await w.palette('Notifications: Clear All Notifications');
		return outcome;
	});

	await step('a debugger stops where both have met, and goes on to the failure', async () => {
		const events = `${out}.debug`;
		const seen = () => fs.readFileSync(events, 'utf8').split('\n').filter(Boolean).map((l) => JSON.parse(l));
		fs.writeFileSync(events, '');
		await w.cursorAt(greet);
		await w.palette('Hocket: Debug With Concurrent Breakpoints');
		const stop = await until('the first stop', () => seen().find((e) => e.event === 'stopped'), long);
		const at = stop.stacks.map((s) => s.find((f) => /session\.go$/.test(f.path))).filter(Boolean).map((f) => f.line).sort();
		assert.deepEqual(at, [19, 27], JSON.stringify(stop));
		await page.locator('.debug-toolbar').waitFor();
		await page.locator('.debug-call-stack .monaco-list-row').first().waitFor();
		await page.locator('.debug-variables .monaco-list-row', { hasText: 'Locals' }).first().click();
		await page.locator('.debug-variables .monaco-list-row', { hasText: 's' }).nth(1).waitFor();
		await page.mouse.move(800, 300);
		await page.mouse.wheel(0, 420); // both lines are above the console
		await shots.take('breakpoint-debug');
		for (let stops = 1; !seen().some((e) => e.event === 'terminated'); ) {
			await page.locator('.debug-toolbar .codicon-debug-continue').click();
			await until('the next stop, or the end', () => seen().some((e) => e.event === 'terminated') || seen().filter((e) => e.event === 'stopped').length > stops, long);
			stops = seen().filter((e) => e.event === 'stopped').length;
			assert.ok(stops < 6, 'it ends');
		}
		assert.match(seen().map((e) => `${e.output ?? ''} ${e.reason ?? ''} ${e.text ?? ''}`).join('\n'), /nil pointer dereference|panic/);
		await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
		// Lines behind the console do not exist for a click.
		await page.locator('.part.panel .codicon-panel-close, .part.panel .codicon-close').first().click();
		return `${stop.description ?? stop.reason}`;
	});

	await step('it is removed', async () => {
		await w.quickOpen('session.go');
		await w.lineMenu(19, 'Remove Concurrent Breakpoint');
		await marks('no mark is left', []);
		assert.deepEqual(stored(), []);
	});

	await step('a line of my choice completes a pair, too', async () => {
		await w.cursorAt(greet);
		await w.palette('Hocket: Concurrent Breakpoint Here');
		await w.rows('A line I choose').first().waitFor({ timeout: long });
		await w.rows('A line I choose').first().click();
		await marks('the first place', ['27 pending 1']);
		await w.cursorAt(leave);
		await w.palette('Hocket: Pair With...');
		await marks('a mark at each end', ['19 later 2', '27 first 1']);
		await w.cursorAt(leave);
		await w.palette('Hocket: Remove Concurrent Breakpoint');
		await marks('no mark is left', []);
	});

	await step('a finding becomes concurrent breakpoints, and fails again', async () => {
		await promisify(execFile)(HOCKET, ['find', '-budget', '200s', '-run', 'TestGet$', '.'], { cwd: folder }).catch((e) => {
			if (e.code !== 1) throw e; // 1: something was found
		});
		await w.palette('Hocket: Turn Finding Into Concurrent Breakpoints');
		await w.rows(/index out of range/).first().click();
		await until('it is in the file', () => stored().length === 1, long);
		assert.equal(stored()[0].kind, 'schedule');
		await w.quickOpen('pool.go');
		await until('marks', async () => (await w.marks()).length > 0);
		await w.palette('Hocket: Run 100 Times With Concurrent Breakpoints');
		const outcome = await after('p.', /failed \d+$/, long);
		assert.ok(Number(/failed (\d+)$/.exec(outcome)[1]) >= 95, outcome);
		return outcome;
	});
}
