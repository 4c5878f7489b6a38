/** Checks what holds for all answers that came. */
import type { KeptAnswer } from '../driver-under-test.ts';
import { leakedKeys } from '../secrets.ts';
import { Mismatch, Skipped } from '../verdict.ts';
import { machineErrorCodes } from '../../../../workflows/api/failures.ts';
import type { Check } from './check.ts';

export const answerChecks: Check[] = [
  {
    says: 'every answer is as the JSON schema says',
    async run({ driver: { answers } }) {
      const wrong = answers.flatMap(({ activity, faults }) =>
        faults.map((fault) => `${activity}: ${fault}`),
      );
      const [first] = wrong;
      if (first !== undefined) {
        throw new Mismatch(`${answers.length} answers without a fault`, atMost(5, wrong));
      }
    },
  },
  {
    says: 'every failure has a code of the list, and a message',
    async run({ driver: { answers } }) {
      const failures = answers.flatMap(failureIn);
      const codes: readonly unknown[] = machineErrorCodes;
      const wrong = failures.filter(
        ({ code, message }) => !codes.includes(code) || typeof message !== 'string' || !message,
      );
      if (wrong.length > 0) {
        const words = wrong.map((failure) => JSON.stringify(failure));
        throw new Mismatch(`one of ${codes.join(', ')}`, atMost(5, words));
      }
      if (failures.length === 0) throw new Skipped('nothing failed');
    },
  },
  {
    says: 'whatever fails is an answer, and no exception',
    async run({ driver: { exceptions } }) {
      if (exceptions.length === 0) return;
      const unwanted = [...new Set(exceptions)];
      throw new Mismatch('no exception', atMost(5, unwanted));
    },
  },
  {
    says: 'no answer holds a value of the Secret',
    async run({ driver: { answers, exceptions }, parts: { secret } }) {
      const texts = [...answers.flatMap(({ answer }) => textsIn(answer)), ...exceptions];
      const keys = leakedKeys(secret, texts);
      if (keys.length > 0) throw new Mismatch('none', `values of ${keys.join(', ')}`);
    },
  },
];

function atMost(count: number, texts: readonly string[]): string {
  const more = texts.length > count ? `; and ${texts.length - count} more` : '';
  return `${texts.slice(0, count).join('; ')}${more}`;
}

function failureIn({ answer }: KeptAnswer): Record<string, unknown>[] {
  const { outcome, failure }: { outcome?: unknown; failure?: unknown } = Object(answer);
  return outcome === 'failed' ? [{ ...Object(failure) }] : [];
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => [name, ...textsIn(item)]);
}
