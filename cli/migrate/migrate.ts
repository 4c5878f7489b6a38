/** Carries out a command of `millwright migrate`. */
import type { Place } from '../connect.ts';
import { withSdk } from '../with-sdk.ts';
import type { Migration } from './arguments.ts';
import { check, reportOf } from './check.ts';
import { takeOver } from './take-over.ts';

export interface Outcome {
  /** What to print. */
  text: string;
  /** False when something hinders a take-over. */
  isWell: boolean;
}

/** Progress is no part of the answer. Throws what keeps a command from its end. */
export async function migrate(
  place: Place,
  asked: Migration,
  report: (step: string) => void = console.error,
): Promise<Outcome> {
  const steps = { place, asked, report };
  switch (asked.command) {
    case 'migrate check': {
      const { text, isFree } = reportOf(await check(place, asked), asked);
      return { text, isWell: isFree };
    }
    case 'migrate take-over':
      return { text: await takeOver(steps), isWell: true };
    case 'migrate hand-back': {
      const { handBack } = await withSdk('migrate hand-back', () => import('./hand-back.ts'));
      return { text: await handBack(steps), isWell: true };
    }
  }
}
