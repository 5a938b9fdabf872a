// Waiting for conditions, never for a time.
const fs = require('node:fs');

/** Calls f until it answers something true; an error of f counts as not yet. */
async function until(what, f, ms = 60_000) {
	const start = Date.now();
	for (;;) {
		let last;
		try {
			const v = await f();
			if (v) return v;
		} catch (error) {
			last = error;
		}
		if (Date.now() - start > ms) throw new Error(`waited ${ms} ms for: ${what}${last ? ` (${last.message})` : ''}`);
		await new Promise((r) => setTimeout(r, 50));
	}
}

/** The processes of this machine whose arguments satisfy want. */
function processes(want) {
	const found = [];
	for (const pid of fs.readdirSync('/proc').filter((n) => /^\d+$/.test(n))) {
		try {
			const argv = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
			const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
			const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
			if (state !== 'Z' && want(argv, Number(parent))) found.push(Number(pid));
		} catch {
			// It has ended.
		}
	}
	return found;
}

module.exports = { until, processes };
