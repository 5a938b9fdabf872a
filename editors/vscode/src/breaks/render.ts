/**
 * What is drawn beside the lines of a file: pure, from what the server says.
 *
 * A filled circle is the side that goes on first, a ring one that goes on after
 * it; the number is that of the side, as in t1 and t2 of conditions.
 */

import type { Break, Module, Side } from './protocol';

export type Look = 'first' | 'later' | 'off' | 'lost' | 'pending';

export interface Mark {
	line: number;
	look: Look;
	/** In the circle: "1", "12" for two sides, "…" for more. */
	label: string;
	/** Markdown. */
	hover: string;
	/** After the line, "" for nothing. */
	text: string;
}

const weight: Record<Look, number> = { lost: 0, first: 1, later: 2, pending: 3, off: 4 };

interface One extends Mark {
	id: string;
}

/** The marks of a file, one for each line that has any, by line. */
export function marksOf(modules: Iterable<Module>, uri: string): Mark[] {
	const lines = new Map<number, One[]>();
	const add = (one: One) => lines.set(one.line, [...(lines.get(one.line) ?? []), one]);
	for (const module of modules) {
		for (const b of module.breakpoints) {
			for (const side of b.sides) if (side.uri === uri) add(ofSide(b, side));
		}
		if (module.pending?.uri === uri) {
			add({
				id: '', line: module.pending.range.start.line, look: 'pending', label: '1',
				hover: '**concurrent breakpoint**: the first place. *Pair With…* on another line completes it.',
				text: 'pair with another place',
			});
		}
	}
	return [...lines.values()].map(together).sort((a, b) => a.line - b.line);
}

function ofSide(b: Break, side: Side): One {
	const look = side.lost ? 'lost' : b.off ? 'off' : side.order === 1 ? 'first' : 'later';
	const text = side.lost ? `lost: ${side.lost}` : b.off ? 'off' : outcome(b);
	return { id: b.id, line: side.range.start.line, look, label: String(side.side), hover: b.hover, text };
}

/** "hit 100/100, failed 97" of the last runs, or "". */
export function outcome(b: Break): string {
	return b.last ? `hit ${b.last.hits}/${b.last.runs}, failed ${b.last.failed}` : '';
}

/** Several marks of a line become one. */
function together(all: One[]): Mark {
	const [head] = [...all].sort((a, b) => weight[a.look] - weight[b.look]);
	const labels = [...new Set(all.map((m) => m.label))].sort().join('');
	const ids = new Set(all.map((m) => m.id));
	const texts = all.filter((m) => m.text).map((m) => (ids.size > 1 && m.id ? `${m.id} ${m.text}` : m.text));
	return {
		line: head!.line,
		look: head!.look,
		label: labels.length > 2 ? '…' : labels,
		hover: [...new Set(all.map((m) => m.hover))].join('\n\n---\n\n'),
		text: [...new Set(texts)].join(' · '),
	};
}

const colours: Record<'dark' | 'light', Record<Look, string>> = {
	dark: { first: '#b180d7', later: '#b180d7', pending: '#b180d7', off: '#7f7f7f', lost: '#f48771' },
	light: { first: '#652d90', later: '#652d90', pending: '#652d90', off: '#9a9a9a', lost: '#c72e0f' },
};

/** The picture of a mark, as a data URI. */
export function icon(look: Look, label: string, theme: 'dark' | 'light'): string {
	const colour = colours[theme][look];
	const back = theme === 'dark' ? '#1e1e1e' : '#ffffff';
	const filled = look === 'first';
	const dash = look === 'pending' ? ' stroke-dasharray="3 2"' : '';
	const cross = look === 'lost' ? `<path d="M2 2 14 14M14 2 2 14" stroke="${colour}" stroke-width="2" stroke-linecap="round"/>` : '';
	const svg =
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"${look === 'off' ? ' opacity=".65"' : ''}>` +
		`<circle cx="8" cy="8" r="6.6" fill="${filled ? colour : 'none'}" stroke="${colour}" stroke-width="1.4"${dash}/>` +
		`<text x="8" y="11.5" text-anchor="middle" font-family="sans-serif" font-weight="bold" font-size="${label.length > 1 ? 8 : 10}" fill="${filled ? back : colour}">${label}</text>` +
		`${cross}</svg>`;
	return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
