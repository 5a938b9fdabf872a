// Where people look for tests and findings: the test explorer, and the list in the
// activity bar; from a test that is searched there to a finding that is mended and cleared.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { follow, set } from './api.mjs';
import { Shots } from './shots.mjs';
import { until } from './workbench.mjs';

const { processes } = createRequire(import.meta.url)('../api/wait.js');
const { HOCKET } = process.env;

const search = 120_000;
const jobs = () => processes((argv) => argv[0] === HOCKET && ['find', 'replay'].includes(argv[1]));
const bug = '	last := len(p.idle) - 1\n';
const mended = '	if len(p.idle) == 0 {\n		return &Conn{id: -1}\n	}\n' + bug;

export async function explorerLayer({ test, server, workbench: w, folder }) {
	const { page } = w;
	let out;
	const shots = new Shots(w, (changes) => set(out, changes));
	const step = (name, run) => test(`explorer: ${name}`, run, page);
	const testRow = (label) => page.locator('.part.sidebar .monaco-list-row', { hasText: new RegExp(`^\\s*${label}`) }).first();
	/** Waits until the server's words beside a test are such. */
	const says = (label, words) => testRow(label).filter({ hasText: words }).waitFor({ timeout: search });
	const list = page.locator('[id="workbench.view.extension.hocket"]');
	const row = (text) => list.locator('.monaco-list-row', { hasText: text }).first();
	const looks = (text, icon) => row(text).locator(`.codicon-${icon}`).waitFor();
	const bar = page.locator('.activitybar .action-item').filter({ has: page.locator('[aria-label^="Hocket"]') }).first();
	const badge = () => bar.locator('.badge-content').innerText().catch(() => '');
	const edit = (from, to) => {
		const file = `${folder}/pool.go`;
		const text = fs.readFileSync(file, 'utf8');
		assert.ok(text.includes(from));
		fs.writeFileSync(file, text.replace(from, to));
	};
	const run = async (label) => {
		await page.mouse.move(900, 500); // what a mouse that rests on the list shows covers rows
		await testRow(label).hover({ force: true });
		await testRow(label).locator('.codicon-testing-run-icon').click({ force: true });
	};

	const seen = await step('the test explorer shows module, packages and tests, and runs nothing', async () => {
		({ out } = await follow(folder, false, () => w.open(server.url(folder), true)));
		await w.quickOpen('pool.go');
		await until('a server', () => processes((argv) => argv[0] === HOCKET && argv[1] === 'lsp').length === 1);
		await w.palette('Testing: Focus on Test Explorer View');
		await testRow('example.com/pool').click();
		await page.keyboard.press('ArrowRight');
		await testRow('session').waitFor();
		assert.equal(await testRow('TestGet').count(), 0, 'a package is looked into when it is opened');
		await testRow('pool').click();
		await page.keyboard.press('ArrowRight');
		for (const name of ['TestGet', 'TestPut', 'TestMove']) await testRow(name).waitFor();
		assert.deepEqual(jobs(), []);
		assert.ok(!fs.existsSync(`${folder}/.hocket`), 'nothing is written');
	});
	if (!seen) return;

	const found = await step('a test is searched there, and fails with its finding as the message', async () => {
		await run('TestGet');
		await says('TestGet', '1 finding: ');
		const result = page.locator('.part.panel .monaco-list-row', { hasText: 'index out of range' }).first();
		await result.waitFor({ timeout: 30_000 });
		await page.mouse.move(900, 500);
		await shots.both('tests');
	});
	if (!found) return;

	await step('the list of findings: red, with a badge; a click goes there', async () => {
		await w.palette('Notifications: Clear All Notifications');
		await bar.click();
		await looks('index out of range', 'error');
		assert.equal(await badge(), '1');
		await page.locator('.tab', { hasText: 'pool.go' }).first().hover();
		await w.palette('View: Close All Editors');
		await row('index out of range').click();
		await page.locator('.tab.active', { hasText: 'pool.go' }).waitFor();
		await shots.both('findings');
		return row('index out of range').innerText();
	});

	await step('its line edited, it is grey; as it was, red again', async () => {
		edit(bug, '	last := len(p.idle) - 1 // the last\n');
		await looks('index out of range', 'history');
		assert.equal(await badge(), '1');
		edit('	last := len(p.idle) - 1 // the last\n', bug);
		await looks('index out of range', 'error');
	});

	await step('mended and searched again, it is green, and cleared by a button', async () => {
		edit(bug, mended);
		await w.palette('Testing: Focus on Test Explorer View');
		await run('TestGet');
		await says('TestGet', /✓ (all schedules|no failure)/);
		await bar.click();
		await looks('index out of range', 'pass');
		await row(/all schedules|no failure/).waitFor();
		assert.equal(await badge(), '');
		await shots.both('findings-fixed');
		await row('index out of range').hover();
		await page.locator('.part.sidebar [aria-label*="Clear Findings That No Longer Fail"]').first().click();
		await row('index out of range').waitFor({ state: 'detached' });
		await until('its file is gone', () => !fs.readdirSync(`${folder}/.hocket/findings`).some((n) => n.endsWith('.json')));
		return list.innerText();
	});
}
