/** The page of a run in the Temporal UI. Above its text stands which signal was left out. */
import { log, setCurrentDetails, setDefaultSignalHandler } from '@temporalio/workflow';
import { quoted } from '../api/validation.ts';

/** So long it is shown, where the page changes at all. */
const shownMs = 3_600_000;

export class Page {
  #text = '';
  #leftOut: { line: string; until: number } | undefined;

  show(text: string): void {
    this.#text = text;
    this.#draw();
  }

  /** A signal has no answer: who sent it reads it here. It takes no turn of the workflow's loop. */
  noteLeftOut(signal: string, fault: string): void {
    const now = Date.now();
    const at = new Date(now).toISOString();
    const line = `> **Left out** at ${at}: signal ${quoted(signal)}: ${fault}`;
    this.#leftOut = { line, until: now + shownMs };
    this.#draw();
  }

  /**
   * Signals without a handler would be kept in silence for ever. Called once all handlers are set,
   * as it gets whatever came until then.
   *
   * @param verbs The commands that people can send to the run.
   */
  hearTheRest(verbs: readonly string[]): void {
    const takes = verbs.length === 0 ? 'no commands' : verbs.join(', ');
    const fault = `there is no such signal; this run takes ${takes}`;
    setDefaultSignalHandler((signal) => {
      log.warn('an unknown signal was left out', { signal: quoted(signal), fault });
      this.noteLeftOut(signal, fault);
    });
  }

  #draw(): void {
    const { line, until = 0 }: { line?: string; until?: number } = this.#leftOut ?? {};
    setCurrentDetails(
      line !== undefined && Date.now() < until ? `${line}\n\n${this.#text}` : this.#text,
    );
  }
}
