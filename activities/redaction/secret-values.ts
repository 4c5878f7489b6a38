/** The secrets that this process has read. */
import { hide } from './hide.ts';
import { isSecretKey } from './secret-names.ts';

/** Shorter values stand in too many other words. */
const shortestValue = 6;
/** The newest of so many values that were read as secrets are known. */
const valuesMax = 500;
/** And of so many characters: user data may have a mebibyte, and anyone's class may name it. */
const charactersMax = 8 * 1024 * 1024;
/** Longer ones are user data, and make room: keys and passwords are shorter. */
const longestKey = 8_192;

/** Values that were read as secrets, so that they are recognised wherever they turn up. */
export class SecretValues {
  readonly #values = new Set<string>();
  #characters = 0;
  /** Read once, at the start. */
  readonly #kept = new Set<string>();

  /** Known for good: a fleet reads many others. */
  keep(values: Iterable<string>): void {
    for (const text of longEnough(values)) this.#kept.add(text);
  }

  add(values: Iterable<string>): void {
    for (const text of longEnough(values)) {
      this.#forget(text);
      this.#values.add(text);
      this.#characters += text.length;
    }
    for (const oldest of this.#values) {
      if (this.#values.size <= valuesMax) break;
      this.#forget(oldest);
    }
    for (const oldest of this.#values) {
      if (this.#characters <= charactersMax) break;
      if (oldest.length > longestKey) this.#forget(oldest);
    }
  }

  #forget(text: string): void {
    if (this.#values.delete(text)) this.#characters -= text.length;
  }

  /** Those keys of a Secret that hold one: a region or a project may be named. */
  addDataOf(secret: Readonly<Record<string, string>>): void {
    this.add(Object.entries(secret).flatMap(([key, value]) => (isSecretKey(key) ? [value] : [])));
  }

  /** The same text without any of them, and without what has the form of a secret. */
  hide(text: string): string {
    return hide(text, [...this.#kept, ...this.#values]);
  }
}

function longEnough(values: Iterable<string>): string[] {
  return [...values].map((value) => value.trim()).filter(({ length }) => length >= shortestValue);
}

/** Secrets of this process: they must not stand in any of its logs. */
export const secretValues = new SecretValues();
