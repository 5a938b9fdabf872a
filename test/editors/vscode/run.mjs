// Runs the tests of the extension: starts code-server, opens it in Chromium,
// and prints "pass: ..." or "fail: ..." for each test. Arguments choose layers:
// api, ui, breaks, panel, explorer, looks; all without.
//
// Environment: HOCKET the binary, EDITORS_TMP a folder, TOOLS where code-server
// and Playwright are, VSIX and APITEST_VSIX the two extensions, MODULE the Go
// module to open, FAILURES where a picture of the window goes when a test
// fails, SHOTS where the pictures of the documentation go (optional).
import fs from 'node:fs';
import path from 'node:path';
import { CodeServer } from './ui/codeserver.mjs';
import { Workbench, launch } from './ui/workbench.mjs';
import { apiLayer } from './ui/api.mjs';
import { breaksLayer } from './ui/breaks.mjs';
import { explorerLayer } from './ui/explorer.mjs';
import { looksLayer } from './ui/looks.mjs';
import { panelLayer } from './ui/panel.mjs';
import { uiLayer } from './ui/tests.mjs';

const { EDITORS_TMP, FAILURES, MODULE } = process.env;
const table = { api: apiLayer, ui: uiLayer, breaks: breaksLayer, panel: panelLayer, explorer: explorerLayer, looks: looksLayer };
const layers = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(table);
let failed = 0;
const started = Date.now();

/** Runs one test; tells what came of it. Answers whether it passed. */
async function test(name, run, page) {
	const start = Date.now();
	try {
		const note = await run();
		console.log(`pass: vscode: ${name} (${Date.now() - start} ms${note ? `; ${oneLine(note)}` : ''})`);
		return true;
	} catch (error) {
		failed++;
		console.log(`fail: vscode: ${name}: ${oneLine(error?.message ?? error)}`);
		if (page) {
			fs.mkdirSync(FAILURES, { recursive: true });
			const file = path.join(FAILURES, `${name.replace(/\W+/g, '-')}.png`);
			await page.screenshot({ path: file }).catch(() => undefined);
			console.log(`  the window then: ${file}`);
		}
		return false;
	}
}

const oneLine = (text) => String(text).replace(/\x1b\[\d+m/g, '').replace(/\s+/g, ' ').slice(0, 900);

/** A fresh copy of the module under a name. */
function copyOf(name) {
	const dir = path.join(EDITORS_TMP, name);
	fs.cpSync(MODULE, dir, { recursive: true });
	return dir;
}

const server = new CodeServer(path.join(EDITORS_TMP, 'run'));
let browser;
try {
	await server.install();
	await server.start();
	browser = await launch();
	console.error(`set-up: code-server answers after ${Date.now() - started} ms`);
	for (const layer of layers) {
		const page = await browser.newPage({ viewport: { width: 1400, height: 900 }, deviceScaleFactor: 1 });
		const context = { test, server, workbench: new Workbench(page), folder: copyOf(layer) };
		await table[layer](context);
		await page.close();
	}
} finally {
	await browser?.close();
	await server.stop();
}
process.exitCode = failed === 0 ? 0 : 1;
