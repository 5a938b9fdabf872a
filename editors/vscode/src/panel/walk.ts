/**
 * Where one is in the runs of a finding, and what there is to say of that: pure,
 * from what the server says.
 */

import type { Order, Run, Schedule, Step, Switch, Unfolded } from './protocol';

/** So many steps of a fold are shown at once. */
const unfoldedAtOnce = 100;

/** What can be left out at a step. */
export interface Question {
	switch?: number;
	order?: number;
	label: string;
}

export class Walk {
	run: Run = 'failing';
	private index = 0;
	private unfolded: Unfolded[] = [];

	constructor(private schedule: Schedule) {
		this.index = this.first();
	}

	get now(): Schedule {
		return this.schedule;
	}

	get steps(): readonly Step[] {
		return this.schedule[this.run];
	}

	get current(): Step | undefined {
		return this.steps[this.index];
	}

	get ranges(): readonly Unfolded[] {
		return this.unfolded;
	}

	/** The first step of the explanation; without one, of the run. */
	private first(): number {
		return Math.max(0, this.steps.findIndex((s) => s.row));
	}

	/** Takes another view of the same runs, and stays where it is. */
	replace(schedule: Schedule): void {
		const number = this.current?.number ?? 1;
		this.schedule = schedule;
		if (this.steps.length === 0) this.run = 'failing';
		this.goTo(this.run, number);
	}

	/** Goes to a step, or to the fold that it is in. */
	goTo(run: Run, number: number): boolean {
		const at = this.schedule[run].findIndex((s) => s.number <= number && number <= (s.until ?? s.number));
		if (at < 0) return false;
		this.run = run;
		this.index = at;
		return true;
	}

	/** Goes so many steps on, or back. */
	move(by: number): boolean {
		const to = Math.min(Math.max(this.index + by, 0), this.steps.length - 1);
		if (to === this.index || to < 0) return false;
		this.index = to;
		return true;
	}

	end(last: boolean): boolean {
		return this.move(last ? this.steps.length : -this.steps.length);
	}

	/** Goes to the step after the next switch, or the previous one. Only the failing run has switches. */
	jump(forward: boolean): boolean {
		if (this.run === 'passing') this.other();
		const to = forward
			? this.steps.findIndex((s, i) => i > this.index && !!s.switch)
			: this.steps.findLastIndex((s, i) => i < this.index && !!s.switch);
		if (to < 0) return false;
		this.index = to;
		return true;
	}

	/** Goes to the same step of the other run, or to the nearest one before it that it has. */
	other(): boolean {
		const there: Run = this.run === 'failing' ? 'passing' : 'failing';
		if (this.schedule[there].length === 0) return false;
		for (let i = this.index; i >= 0; i--) {
			const twin = this.steps[i]?.twin;
			if (twin && this.goTo(there, twin)) return true;
		}
		this.run = there;
		this.index = 0;
		return true;
	}

	/** Shows a part of the fold at which it is; false if it is at none. */
	unfold(): boolean {
		const s = this.current;
		if (!s?.until) return false;
		this.unfolded.push({ run: this.run, from: s.number, to: Math.min(s.until, s.number + unfoldedAtOnce - 1) });
		return true;
	}

	/** Folds all again; false if nothing was unfolded. */
	fold(): boolean {
		const any = this.unfolded.length > 0;
		this.unfolded = [];
		return any;
	}

	switchAt(s: Step): Switch | undefined {
		return this.run === 'failing' ? this.schedule.switches.find((w) => w.number === s.switch) : undefined;
	}

	/** What can be left out at the current step: the switch that led to it, the one after it, orders. */
	questions(): Question[] {
		const s = this.current;
		if (!s || this.run !== 'failing') return [];
		const here = this.schedule.switches.filter((w) => w.before === s.number || w.after === s.number);
		return [
			...here.sort((a, b) => Number(b.before === s.number) - Number(a.before === s.number)).map((w) => ({ switch: w.number, label: w.words })),
			...this.schedule.orders.filter((o) => o.before === s.number || o.after === s.number).map((o) => ({ order: o.number, label: this.orderWords(o) })),
		];
	}

	private orderWords(o: Order): string {
		const at = (n: number) => {
			const s = this.schedule.failing.find((x) => x.number === n && !x.until);
			return s ? `${s.goroutine} at line ${s.line}` : `step ${n}`;
		};
		return `order ${o.number}: ${at(o.before)} before ${at(o.after)}`;
	}

	/** The values seen so far on the lines of a file, the latest of each line, nearest first. */
	valuesIn(uri: string, most: number): { line: number; text: string }[] {
		const found = new Map<number, string>();
		for (let i = this.index - 1; i >= 0 && found.size < most; i--) {
			const s = this.steps[i];
			if (!s?.location || s.location.uri !== uri || !s.happens || s.happens === '-') continue;
			const line = s.location.range.start.line;
			if (!found.has(line)) found.set(line, `${s.goroutine}: ${s.happens}`);
		}
		return [...found].map(([line, text]) => ({ line, text }));
	}

	/** The step in words, for the line below the picture and for screen readers. */
	words(): string {
		const s = this.current;
		if (!s) return 'There are no steps.';
		const of = `step ${s.number} of ${this.schedule.steps[this.run]} of the ${this.run} run`;
		if (s.until) return `steps ${s.number} to ${s.until} are folded: ${s.code}`;
		const parts = [`${of}: ${s.goroutine}, ${shortPlace(s)}: ${s.code}: ${s.happens}`];
		const sw = this.switchAt(s);
		if (sw) parts.unshift(sw.words);
		if (s.differs && s.other) parts.push(`in the ${this.run === 'failing' ? 'passing' : 'failing'} run: ${s.other === '-' ? 'not at all' : s.other}`);
		return parts.join('; ');
	}

	/** The next step from here on at a place, else any: of a debugger that stops there. */
	follow(uri: string, line: number): boolean {
		const is = (s: Step) => s.location?.uri === uri && s.location.range.start.line === line;
		const { failing } = this.schedule;
		const from = this.run === 'failing' ? this.index : 0;
		const ahead = failing.findIndex((s, i) => i >= from && is(s));
		const at = ahead >= 0 ? ahead : failing.findIndex(is);
		if (at < 0) return false;
		this.run = 'failing';
		this.index = at;
		return true;
	}
}

function shortPlace(s: Step): string {
	return `${s.file.slice(s.file.lastIndexOf('/') + 1)}:${s.line}`;
}
