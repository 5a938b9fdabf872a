// The API layer: opens the folder, so that the tests inside VS Code start, and
// passes on what they tell.
import fs from 'node:fs';
import path from 'node:path';
import { until } from './workbench.mjs';

const limit = 400_000;

export async function apiLayer({ test, server, workbench, folder }) {
	const { events } = await follow(folder, true, () => workbench.open(server.url(folder), true));
	for await (const line of events) {
		await test(`api: ${line.name}`, () => {
			if (!line.ok) throw new Error(line.note);
			return `${line.ms} ms inside${line.note ? `; ${line.note}` : ''}`;
		}, line.ok ? undefined : workbench.page);
	}
}

/** Opens a folder with the tests' extension; run says whether tests run in it. */
export async function follow(folder, run, open) {
	const out = path.join(path.dirname(folder), `${path.basename(folder)}.jsonl`);
	fs.writeFileSync(out, '');
	fs.writeFileSync(path.join(folder, 'apitest.json'), JSON.stringify({ out, run }));
	await open();
	return { events: lines(out), out };
}

/** Changes settings of the user, by the extension that writes to out. */
export async function set(out, changes) {
	const file = `${out}.set`;
	fs.writeFileSync(`${file}.part`, JSON.stringify(changes));
	fs.renameSync(`${file}.part`, file);
	await until('settings are applied', () => !fs.existsSync(file));
}

/** The lines of the file as they come, up to the one that says done. */
async function* lines(file) {
	const end = Date.now() + limit;
	for (let seen = 0; ; seen++) {
		const line = await until('the next test inside VS Code', () => {
			const all = fs.readFileSync(file, 'utf8').split('\n');
			return all.length > seen + 1 && JSON.parse(all[seen]);
		}, Math.max(1, end - Date.now()));
		if (line.done) return;
		yield line;
	}
}
