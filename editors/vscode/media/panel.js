// The page of the schedule panel: shows the server's picture, marks where one is, and
// passes keys on. What they do, the extension decides.
'use strict';

(() => {
	const vscode = acquireVsCodeApi();
	const byId = (id) => document.getElementById(id);
	const runs = byId('runs');
	let switches = [];
	let sent = 0; // what the extension says before it has got the last message is late
	const send = (m) => vscode.postMessage({ ...m, seq: ++sent });

	const keys = {
		ArrowDown: 'down', ArrowUp: 'up', j: 'down', k: 'up', ArrowRight: 'nextSwitch', ArrowLeft: 'previousSwitch',
		Home: 'first', End: 'last', Tab: 'otherRun', Enter: 'unfold', ' ': 'unfold', z: 'fold', d: 'debug', b: 'break', w: 'whatIf',
	};

	runs.addEventListener('keydown', (e) => {
		// Shift+Tab leaves the picture, as it leaves anything.
		if (e.ctrlKey || e.metaKey || e.altKey || (e.key === 'Tab' && e.shiftKey)) return;
		const what = keys[e.key];
		if (!what) return;
		if (what === 'otherRun' && !runs.querySelector('[data-run="passing"]')) return; // Tab leaves, too
		e.preventDefault();
		e.stopPropagation();
		const to = neighbour(what);
		if (to === null) return;
		if (to) {
			// The mark goes at once; the editor and the words follow.
			mark(to);
			send({ kind: 'go', run: to.dataset.run, number: Number(to.dataset.step) });
		} else {
			send({ kind: 'do', what });
		}
	});
	for (const what of ['whatIf', 'debug', 'break']) {
		byId(what).addEventListener('click', () => {
			send({ kind: 'do', what });
			runs.focus();
		});
	}
	runs.addEventListener('click', (e) => {
		const step = e.target.closest('[data-step]');
		if (!step) return;
		send({ kind: 'go', run: step.dataset.run, number: Number(step.dataset.step) });
		runs.focus();
	});
	runs.addEventListener('dblclick', (e) => {
		if (e.target.closest('[data-step]')) send({ kind: 'do', what: 'unfold' });
	});

	window.addEventListener('message', ({ data }) => {
		if (data.kind === 'show') show(data);
		if (data.kind === 'current' && data.seq >= sent) current(data);
		if (data.kind === 'empty') document.body.className = '';
	});

	function show(m) {
		document.body.className = 'shown';
		byId('title').textContent = m.title;
		byId('about').title = m.sentence.replaceAll('`', '');
		byId('about').replaceChildren(...[m.state, m.note].filter(Boolean).map((t) => element('strong', `${t}. `)), ...code(m.sentence));
		switches = m.switches;
		const picture = new DOMParser().parseFromString(m.svg, 'image/svg+xml').documentElement;
		const at = [runs.scrollLeft, runs.scrollTop];
		split(document.importNode(picture, true));
		fit();
		runs.scrollTo(...at);
		byId('answers').replaceChildren(...m.answers.map((t) => element('li', t)));
	}

	/** The names of runs and goroutines stay in sight: they are a picture of their own. */
	function split(picture) {
		const heads = picture.cloneNode(false);
		heads.setAttribute('class', 'hocket walk names');
		let below = 0;
		for (const g of picture.querySelectorAll('.heads')) {
			below = Number(g.dataset.below);
			heads.append(g);
		}
		const [, , width, height] = picture.getAttribute('viewBox').split(' ').map(Number);
		heads.setAttribute('viewBox', `0 0 ${width} ${below}`);
		picture.setAttribute('viewBox', `0 ${below} ${width} ${height - below}`);
		runs.replaceChildren(heads, picture);
	}

	/** Makes a wide picture smaller, as far as it can be read. */
	function fit() {
		for (const svg of runs.querySelectorAll('svg')) {
			const [, , width, height] = svg.getAttribute('viewBox').split(' ').map(Number);
			const scale = Math.min(1, Math.max(0.8, (runs.clientWidth - 2) / width));
			svg.setAttribute('width', width * scale);
			svg.setAttribute('height', height * scale);
		}
	}
	new ResizeObserver(fit).observe(runs);

	/** The step that a key leads to within a run; undefined if the key does something else, null at an end. */
	function neighbour(what) {
		const at = byId(runs.getAttribute('aria-activedescendant'));
		if (!at || !['down', 'up', 'first', 'last'].includes(what)) return undefined;
		const all = [...runs.querySelectorAll(`[data-run="${at.dataset.run}"]`)];
		const i = all.indexOf(at);
		const to = { down: i + 1, up: i - 1, first: 0, last: all.length - 1 }[what];
		return to === i ? null : (all[to] ?? null);
	}

	function mark(step) {
		for (const old of runs.querySelectorAll('.step.on, .twin')) {
			old.classList.remove('on', 'twin');
			old.setAttribute('aria-selected', 'false');
		}
		step.classList.add('on');
		step.setAttribute('aria-selected', 'true');
		runs.setAttribute('aria-activedescendant', step.id);
		reveal(step);
	}

	function current(m) {
		const step = byId(`${m.run}-${m.number}`);
		document.body.classList.toggle('asking', m.asking);
		byId('words').textContent = m.words;
		if (!step) return;
		mark(step);
		byId(`${m.run === 'failing' ? 'passing' : 'failing'}-${m.twin}`)?.classList.add('twin');
		const sw = switches.find((s) => m.run === 'failing' && (s.before === m.number || s.after === m.number));
		for (const line of runs.querySelectorAll('[data-switch]')) line.classList.toggle('on', Number(line.dataset.switch) === sw?.number);
	}

	/** Scrolls as little as shows the step with a neighbour on either side. */
	function reveal(step) {
		const box = step.querySelector('.hit').getBoundingClientRect();
		const whole = runs.getBoundingClientRect();
		const names = runs.querySelector('.names').getBoundingClientRect().height;
		const frame = { top: whole.top + names, bottom: whole.bottom, left: whole.left, right: whole.right, height: whole.height - names };
		const margin = Math.min(box.height, frame.height / 4);
		if (box.top - margin < frame.top) runs.scrollTop -= frame.top - box.top + margin;
		else if (box.bottom + margin > frame.bottom) runs.scrollTop += box.bottom + margin - frame.bottom;
		if (box.left < frame.left || box.right > frame.right) runs.scrollLeft += box.left - frame.left - 8;
	}

	function element(name, text) {
		const e = document.createElement(name);
		e.textContent = text;
		return e;
	}

	/** A sentence in which code stands in backquotes. */
	function code(sentence) {
		return sentence.split('`').map((part, i) => (i % 2 ? element('code', part) : document.createTextNode(part)));
	}

	window.addEventListener('focus', () => {
		if (document.activeElement === document.body) runs.focus();
	});
	send({ kind: 'ready' });
})();
