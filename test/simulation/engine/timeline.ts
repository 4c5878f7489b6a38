/** What happened, for the reader of a failed run: who did what, and when. */
export interface Note {
  /** Milliseconds since 1970, by the clock of the simulation. */
  at: number;
  /** A process, a user, a model or `judge`. */
  who: string;
  what: string;
}

/** Keeps the last ones only: a long run has millions. */
const longest = 20_000;

export class Timeline {
  readonly #startMs: number;
  #notes: Note[] = [];
  #count = 0;
  #hash = 0;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  add(note: Note): void {
    this.#count += 1;
    this.#mix(`${note.at} ${note.who} ${note.what}`);
    this.#notes.push(note);
    if (this.#notes.length > 2 * longest) this.#notes = this.#notes.slice(-longest);
  }

  get notes(): readonly Note[] {
    return this.#notes.slice(-longest);
  }

  /** Two runs of a seed have the same one, or something is not by seed. */
  get fingerprint(): string {
    return `${this.#count}-${(this.#hash >>> 0).toString(16)}`;
  }

  /** One line for each note that mentions one of these words; without words all. */
  lines(words: readonly string[] = []): string[] {
    return this.notes
      .filter(
        ({ who, what }) =>
          words.length === 0 || words.some((word) => mentions({ who, what }, word)),
      )
      .map(({ at, who, what }) => `${formatTime(at - this.#startMs)}  ${who.padEnd(14)}  ${what}`);
  }

  #mix(text: string): void {
    let hash = this.#hash;
    for (let index = 0; index < text.length; index += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
    }
    this.#hash = hash;
  }
}

function mentions({ who, what }: Pick<Note, 'who' | 'what'>, word: string): boolean {
  return who.includes(word) || what.includes(word);
}

function two(part: number): string {
  return String(part).padStart(2, '0');
}

/** 3723004 -> `01:02:03.004` */
export function formatTime(milliseconds: number): string {
  const whole = Math.max(0, Math.floor(milliseconds));
  const [hours, minutes] = [Math.floor(whole / 3_600_000), Math.floor(whole / 60_000) % 60];
  const [seconds, rest] = [Math.floor(whole / 1_000) % 60, whole % 1_000];
  return `${two(hours)}:${two(minutes)}:${two(seconds)}.${String(rest).padStart(3, '0')}`;
}
