// The schedule panel: a person walks through the runs of a finding by keys, and asks
// what happens without a switch.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { execFile } from 'node:child_process';
import { follow, set } from './api.mjs';
import { Shots } from './shots.mjs';
import { until } from './workbench.mjs';

const { HOCKET } = process.env;

export async function panelLayer({ test, server, workbench: w, folder }) {
	const { page } = w;
	let out;
	const shots = new Shots(w, (changes) => set(out, changes));
	const step = (name, run) => test(`panel: ${name}`, run, page);
	const frame = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
	const runs = frame.locator('#runs');
	const words = () => frame.locator('#words').innerText();
	const active = () => runs.getAttribute('aria-activedescendant');

	/** Presses a key and waits until the panel is at another step; answers where, and how long it took. */
	async function press(key) {
		const before = await active();
		await runs.evaluate((e) => {
			window.pressed = new Promise((resolve) => {
				let start = 0;
				e.addEventListener('keydown', () => { start = performance.now(); }, { once: true, capture: true });
				const watch = new MutationObserver(() => {
					watch.disconnect();
					requestAnimationFrame(() => resolve(performance.now() - start));
				});
				watch.observe(e, { attributeFilter: ['aria-activedescendant'] });
			});
		});
		await page.keyboard.press(key);
		await until(`${key} leaves ${before}`, async () => (await active()) !== before, 10_000);
		return { at: await active(), ms: await runs.evaluate(() => window.pressed) };
	}

	const found = await step('the finding of a search on the command line is there', async () => {
		const ended = new Promise((resolve) => execFile(HOCKET, ['find', '-budget', '250s', '-run', 'TestGet', '.'], { cwd: folder }, (error) => resolve(error?.code ?? 0)));
		({ out } = await follow(folder, false, () => w.open(server.url(folder), true)));
		assert.equal(await ended, 1);
		await w.openFile('pool_test.go');
		await w.waitLens('TestGet', /^1 finding: .* ▸$/, 240_000);
	});
	if (!found) return;

	const opened = await step('the list of the lens opens it, and the editor is at the first step', async () => {
		await w.clickLens('TestGet', /^1 finding: /);
		await w.pick('Step through the schedule');
		await frame.locator('svg.walk .step.on').waitFor();
		await page.locator('.tab.active', { hasText: 'pool.go' }).waitFor();
		assert.match(await words(), /^(switch \d+: .*; )?step \d+ of \d+ of the failing run: TestGet\.func\d, pool\.go:\d+: /);
		assert.equal(await runs.getAttribute('role'), 'listbox');
		assert.ok(await frame.locator('[role=option][aria-label]').count() > 8, 'each step has a label');
		for (const title of ['failing run', 'passing run']) assert.equal(await frame.locator('svg.names .title', { hasText: title }).count(), 1);
		assert.ok(await frame.locator('svg .flow').count() > 0, 'arrows');
		assert.ok(await frame.locator('svg .differs').count() > 2, 'what differs');
		assert.ok(await frame.locator('svg .switch').count() > 1, 'switches');
		const texts = await until('the text behind the line', async () => { const t = await w.afterTexts(); return t.length > 0 && t; });
		await shots.both('panel');
		return `${await words()} | ${texts.map((t) => t.after).join(' | ')}`;
	});
	if (!opened) return;

	await step('keys go on and back, and the editor follows', async () => {
		await runs.focus();
		const visited = [await active()];
		const took = [];
		for (let i = 0; i < 5; i++) {
			const { at, ms } = await press('ArrowDown');
			visited.push(at);
			took.push(ms);
		}
		for (let i = 4; i >= 0; i--) {
			const { at, ms } = await press('ArrowUp');
			assert.equal(at, visited[i]);
			took.push(ms);
		}
		await press('End');
		assert.match(await words(), /\.go:\d+|are folded/);
		await press('Home');
		assert.match(await active(), /^failing-1$/);
		await page.locator('.tab.active', { hasText: 'pool' }).waitFor();
		took.sort((a, b) => a - b);
		return `a step took ${took[took.length >> 1].toFixed(0)} ms in the middle, ${took.at(-1).toFixed(0)} ms at most`;
	});

	await step('left and right are the switches', async () => {
		await press('ArrowRight');
		assert.match(await words(), /^switch 1: TestGet waits, TestGet\.func\d goes on; step /);
		const { at } = await press('ArrowRight');
		assert.match(await words(), /^switch 2: TestGet\.func\d is stopped, TestGet\.func\d goes on; /);
		await press('ArrowLeft');
		await press('ArrowRight');
		assert.equal(await active(), at);
	});

	await step('what if not: the program is run without the switch', async () => {
		await page.keyboard.press('w');
		await frame.locator('#answers li', { hasText: /^without switch 2 \(.*\): 0 of 20 failed, in (one order|\d+ orders)$/ }).waitFor({ timeout: 240_000 });
		return frame.locator('#answers').innerText();
	});

	await step('a fold opens, and closes again', async () => {
		await runs.focus();
		const folds = await frame.locator('svg .fold[data-run=failing]').count();
		const steps = await frame.locator('svg .step[data-run=failing]').count();
		assert.ok(folds > 0, 'there is a fold');
		await frame.locator('svg .fold[data-run=failing]').first().click();
		await until('the fold is the current one', async () => /are folded/.test(await words()));
		await page.keyboard.press('Enter');
		await until('more steps', async () => (await frame.locator('svg .step[data-run=failing]').count()) > steps);
		await page.keyboard.press('z');
		await until('as before', async () => (await frame.locator('svg .step[data-run=failing]').count()) === steps);
	});

	await step('Tab leads to the passing run', async () => {
		await runs.focus();
		await press('Tab');
		assert.match(await active(), /^passing-/);
		await press('Tab');
		assert.match(await active(), /^failing-/);
	});

	await step('b breaks here', async () => {
		await press('Home');
		await press('ArrowRight');
		await page.keyboard.press('b');
		await page.locator('.quick-input-widget .monaco-list-row').first().waitFor({ timeout: 120_000 });
		await page.keyboard.press('Escape');
		await until('the mark of the place', async () => (await w.marks()).some((m) => m.look === 'pending'));
	});

	await step('d debugs from the step: Delve stops there, and the panel goes along', async () => {
		const events = `${out}.debug`;
		const seen = () => fs.readFileSync(events, 'utf8').split('\n').filter(Boolean).map((l) => JSON.parse(l));
		fs.writeFileSync(events, '');
		await frame.locator('[data-run="failing"][data-step]').first().click();
		await press('End');
		await press('Home');
		await press('ArrowRight');
		await press('ArrowRight');
		const [, number, line] = /step (\d+) of \d+ of the failing run: [^:]*pool\.go:(\d+)/.exec(await words());
		await page.keyboard.press('d');
		const stop = await until('the first stop', () => seen().find((e) => e.event === 'stopped'), 240_000);
		const at = stop.stacks.flatMap((s) => s.slice(0, 2)).map((f) => `${f.path.split('/').at(-1)}:${f.line}`);
		await until('the panel is at the step', async () => (await words()).includes(`step ${number} of`));
		assert.ok(at.includes(`pool.go:${line}`), `step ${number} is pool.go:${line}; goroutines stand at ${at.join(', ')}`);
		await page.locator('.debug-toolbar').waitFor();
		const before = await words();
		await page.locator('.debug-toolbar .codicon-debug-continue').click();
		await until('another stop, or the end', () => seen().some((e) => e.event === 'terminated') || seen().filter((e) => e.event === 'stopped').length > 1, 120_000);
		if (seen().filter((e) => e.event === 'stopped').length > 1) await until('the panel is at another step', async () => (await words()) !== before);
		await w.palette('Debug: Stop');
		await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
		await frame.locator('svg.walk .step.on').waitFor();
		return `${at.join(', ')} | ${await words()}`;
	});

	await step('an edit above moves the step with its line', async () => {
		const code = () => w.afterTexts().then((all) => all.filter((t) => /^TestGet/.test(t.after)).map((t) => t.text.trim()).join());
		// A click takes the focus from whatever has it, as a person would.
		const there = async () => {
			await frame.locator('[data-run="failing"][data-step]').first().click();
			await press('End');
			await press('ArrowLeft');
		};
		await there();
		const before = await until('the text behind the line', code);
		await w.palette('View: Focus Active Editor Group');
		await page.keyboard.press('Control+Home');
		await page.keyboard.type('// moved\n\n');
		await page.keyboard.press('Control+s');
		await there();
		await until(`the texts are behind the lines again: ${before}`, async () => (await code()) === before);
		return before;
	});

	await step('a change of the theme leaves no colour behind', async () => {
		const of = () => frame.locator('svg.names').evaluate((e) => getComputedStyle(e).fill);
		const dark = await of();
		await set(out, { 'workbench.colorTheme': 'Default Light Modern' });
		await until('another colour', async () => (await of()) !== dark);
		await set(out, { 'workbench.colorTheme': 'Default Dark Modern' });
		await until('the first colour', async () => (await of()) === dark);
	});

	await step('cleared, the editor shows nothing of it', async () => {
		await w.palette('Hocket: Clear the Schedule');
		await frame.locator('#empty').waitFor();
		await until('no texts', async () => (await w.afterTexts()).every((t) => !/^TestGet/.test(t.after)));
	});
}
