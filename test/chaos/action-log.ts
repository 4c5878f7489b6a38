import { appendFileSync } from 'node:fs';

/** One line of JSON for each thing that was done: when, what, to what. */
export class ActionLog {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  add(entry: { round: number; type: string; target: string }): void {
    appendFileSync(this.#file, `${JSON.stringify({ time: new Date().toISOString(), ...entry })}\n`);
  }
}
