/**
 * The rows of the list of findings: pure, from what the server says.
 */

import type { FindingItem, ListAnswer, VerdictItem } from '../protocol';
import type { Standing } from './protocol';

export interface Row {
	/** Unlike any other's, and the same as long as the row is about the same. */
	key: string;
	label: string;
	description: string;
	/** Plain text. */
	tooltip: string;
	look: Standing;
	finding?: FindingItem;
	verdict?: VerdictItem;
	/** Of a package: its findings and verdicts. */
	children?: Row[];
}

/** What is red comes first, what is green last. */
const order: Standing[] = ['failing', 'changed', 'older', 'searched', '', 'fixed', 'proved'];
const rank = (look: Standing): number => order.indexOf(look);

/** A row for each package, with rows for its findings and for tests that none fails. */
export function rows(list: ListAnswer): Row[] {
	const packages = new Map<string, Row[]>();
	const add = (pkg: string, row: Row) => packages.set(pkg, [...(packages.get(pkg) ?? []), row]);
	for (const f of list.findings ?? []) add(f.package, ofFinding(f));
	for (const v of list.verdicts ?? []) add(v.package, ofVerdict(v));
	return [...packages].map(([pkg, children]) => ofPackage(pkg, children))
		.sort((a, b) => rank(a.look) - rank(b.look) || compare(a.key, b.key));
}

/** The findings that somebody has to look at. */
export function open(list: ListAnswer): FindingItem[] {
	return (list.findings ?? []).filter((f) => f.stands === 'failing' || f.stands === 'changed');
}

function ofPackage(pkg: string, children: Row[]): Row {
	const sorted = [...children].sort((a, b) => rank(a.look) - rank(b.look) || compare(a.label, b.label));
	const failing = children.filter((r) => r.look === 'failing' || r.look === 'changed').length;
	return {
		key: pkg,
		label: pkg.split('/').pop() ?? pkg,
		description: failing > 0 ? `${failing} open` : '',
		tooltip: pkg,
		look: sorted[0]?.look ?? '',
		children: sorted,
	};
}

function ofFinding(f: FindingItem): Row {
	const at = f.location && `${f.location.uri.split('/').pop()}:${f.location.range.start.line + 1}`;
	const replays = f.replay && `fails ${f.replay.failed} of ${f.replay.runs} replays`;
	const level = f.level && (levels[f.level] ?? f.level);
	return {
		key: `${f.package} ${f.id} ${f.location?.uri ?? ''}`, // two checkouts of a module have equal ids
		label: (f.brief || f.headline).replace(/^panic: runtime error: /, 'panic: '), // lists are narrow
		description: [f.about, f.entry, at && decodeURIComponent(at)].filter(Boolean).join(' · '),
		tooltip: [f.headline, [f.about, replays, level].filter(Boolean).join(' · '), f.id].join('\n'),
		look: f.stands,
		finding: f,
	};
}

const levels: Record<string, string> = {
	native: 'seen on the ordinary build',
	pinned: 'seen as compiled for production',
	race: 'a proved data race',
	controlled: 'seen under control only',
};

function ofVerdict(v: VerdictItem): Row {
	return { key: `${v.package} ${v.entry} ${v.location?.uri ?? ''}`, label: v.entry, description: v.line.replace(/^✓ /, ''), tooltip: v.message, look: v.stands, verdict: v };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
