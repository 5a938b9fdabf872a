// The UI layer: what a person sees and clicks, from a folder that is not
// trusted to a finding that is explained.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { follow, set } from './api.mjs';
import { Shots } from './shots.mjs';
import { until } from './workbench.mjs';

const { processes } = createRequire(import.meta.url)('../api/wait.js');
const { HOCKET } = process.env;

const search = 300_000; // a first search on a machine builds the standard library
const servers = () => processes((argv) => argv[0] === HOCKET && argv[1] === 'lsp');
const jobs = () => processes((argv) => argv[0] === HOCKET && ['find', 'replay'].includes(argv[1]));

export async function uiLayer({ test, server, workbench: w, folder }) {
	const { page } = w;
	let out;
	const shots = new Shots(w, (changes) => set(out, changes));
	const step = (name, run) => test(`ui: ${name}`, run, page);

	await step('in a folder that is not trusted no server is started', async () => {
		await until('the servers of other windows have ended', () => servers().length === 0);
		({ out } = await follow(folder, false, () => w.open(server.url(folder), false)));
		await w.openFile('pool_test.go');
		const done = await until('VS Code has started all extensions', () => JSON.parse(fs.readFileSync(out, 'utf8').split('\n')[0]), 240_000);
		assert.equal(done.trusted, false);
		assert.equal(await w.offers('Hocket: Show Log'), false, 'no command is offered');
		assert.deepEqual(servers(), []);
		assert.ok(!fs.existsSync(`${folder}/.hocket`));
	});

	const trusted = await step('trusted, it is', async () => {
		await w.palette('Workspaces: Manage Workspace Trust');
		await page.locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ }).first().click();
		await until('a server', () => servers().length === 1);
		await w.palette('View: Close Editor');
		await page.locator('.tab.active', { hasText: 'pool_test.go' }).waitFor();
		for (const name of ['TestGet', 'TestPut', 'TestMove']) await w.waitLens(name, /^find failing schedule$/);
		assert.deepEqual(jobs(), []);
	});

	if (!trusted) return;

	await step('a search shows its progress and is cancelled by a button', async () => {
		await w.clickLens('TestPut', /^find failing schedule$/);
		const progress = w.notification('TestPut');
		await progress.filter({ hasText: /\d+ schedules? tried.*left/ }).waitFor({ timeout: search });
		await w.waitLens('TestPut', /^searching… \(cancel\)$/);
		await page.locator('.statusbar-item', { hasText: /Hocket: \d+ schedules? tried/ }).waitFor();
		await shots.take('progress');
		const start = Date.now();
		await progress.hover();
		await progress.locator('.monaco-button', { hasText: 'Cancel' }).click();
		await progress.waitFor({ state: 'detached' });
		await w.waitLens('TestPut', /^find failing schedule$/);
		await until('no process is left', () => jobs().length === 0);
		return `cancelled in ${Date.now() - start} ms`;
	});

	const found = await step('a click on the lens finds the bug and leads to it', async () => {
		await w.clickLens('TestGet', /^find failing schedule$/);
		const outcome = w.notification('index out of range');
		await outcome.filter({ has: page.locator('.monaco-button', { hasText: 'Go to' }) }).waitFor({ timeout: search });
		const text = await outcome.innerText();
		await until('one lens', async () => /^1 finding: .*index out of range.* ▸$/.test((await w.lenses()).TestGet?.join()));
		await shots.both('lens');
		await outcome.locator('.monaco-button', { hasText: 'Go to' }).click();
		await page.locator('.tab.active', { hasText: 'pool.go' }).waitFor();
		await page.locator('.squiggly-warning').first().waitFor();
		return text;
	});

	if (!found) return;

	await step('the hover shows sentence and table', async () => {
		await w.hoverOver('c := p.idle[last]');
		await w.hover.waitFor();
		assert.ok(await w.hover.locator('table td').count() >= 12, 'a table');
		assert.ok(await w.hover.locator('table strong').count() >= 1, 'what differs is bold');
		const box = await w.hover.locator('table').first().boundingBox();
		await shots.both('hover', () => w.hoverOver('c := p.idle[last]'));
		return `table ${Math.round(box.width)} px wide`;
	});

	await step('the list of problems names it', async () => {
		await page.keyboard.press('Escape');
		await w.palette('Problems: Focus on Problems View');
		await page.locator('.markers-panel .monaco-list-row', { hasText: /hocket.*panic/s }).first().waitFor();
		await shots.both('diagnostic');
		await page.locator('.part.panel .codicon-panel-close, .part.panel .codicon-close').first().click();
	});

	await step('a quick fix opens the list, which explains it in a preview', async () => {
		await page.locator('.editor-group-container.active .view-line', { hasText: 'c := p.idle[last]' }).click();
		await page.keyboard.press('Control+.');
		const menu = page.locator('.action-widget:not(.action-list-submenu-panel)');
		await menu.waitFor();
		await menu.locator('.monaco-list-row', { hasText: 'Hocket… (' }).first().click();
		await shots.take('choose');
		await w.pick('Explain');
		const preview = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
		await preview.locator('table td').first().waitFor();
		const text = await preview.locator('body').innerText();
		assert.match(text, /index out of range/);
		assert.ok(await preview.locator('td a', { hasText: /^45$/ }).count() > 0, 'lines are links');
		assert.ok(!text.includes(']('), 'no markdown is left over');
		await shots.take('explain');
	});

	await step('a replay by lens tells its outcome', async () => {
		await page.locator('.tab', { hasText: 'pool_test.go' }).first().click();
		await w.clickLens('TestGet', /^1 finding: /);
		await w.pick('Replay 100 times (failed 100/100)');
		await w.notification('100 of 100 replays failed').filter({ has: page.locator('.monaco-button', { hasText: 'Go to' }) }).waitFor();
	});

	await step('the status item lists findings, a choice jumps', async () => {
		await w.palette('Notifications: Clear All Notifications');
		await page.locator('.statusbar-item[id="hocket-dev.hocket.hocket.status"] a, .statusbar-item', { hasText: /^\s*Hocket\s*$/ }).first().click();
		await w.pick('List Findings');
		await w.pick('index out of range');
		await page.locator('.tab.active', { hasText: 'pool.go' }).waitFor();
	});

	await step('a missing command is installed by one button, and works without a reload', async () => {
		await set(out, { 'hocket.path': '/nowhere/hocket' });
		const message = w.notification('where there is no command');
		await message.waitFor();
		for (const action of ['Install', 'Choose Path', 'Show Log']) await message.locator('.monaco-button', { hasText: action }).waitFor();
		await until('the old server has ended', () => servers().length === 0);
		await message.locator('.monaco-button', { hasText: 'Install' }).click();
		await w.notification('the server runs').waitFor();
		const installed = `${server.gobin}/hocket`;
		await until('a server of the installed command', () => processes((argv) => argv[0] === installed && argv[1] === 'lsp').length === 1);
		await w.openFile('pool_test.go');
		await w.waitLens('TestPut', /^find failing schedule$/);
		await set(out, { 'hocket.path': HOCKET });
		await until('a server', () => servers().length === 1);
	});
}
