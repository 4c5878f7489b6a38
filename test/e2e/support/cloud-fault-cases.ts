/** Everything that the virtual cloud can do to a call, one machine for each. */
import { machineErrorCodes, type MachineErrorCode } from '../../../workflows/api/failures.ts';
import { eventually } from '../../support/eventually.ts';
import type { Scenario } from './scenario.ts';
import type { CloudFault } from './virtual-cloud.ts';

export interface FaultCase {
  /** Of the machine. */
  short: string;
  fault: CloudFault;
  /** What the Machine has to say. */
  code: MachineErrorCode;
  /** A part of the message that it has to quote. */
  words: string;
}

/** The case of a call that gets no answer at all: the driver gives it up after 30 s. */
export const hangs = 'hangs';
const dropsLate = { kind: 'hang', seconds: 1 };

/** Faults of one operation, and of the search before it, which does not tell codes apart. */
export function casesOf(operation: 'create' | 'delete'): FaultCase[] {
  const request = operation === 'create' ? 'POST /instances' : 'DELETE /instances/';
  const of = (short: string, fault: CloudFault, says: Pick<FaultCase, 'code' | 'words'>) => ({
    short,
    fault: { operation, ...fault },
    ...says,
  });
  return [
    ...machineErrorCodes.map((code) => {
      const words = `${operation} ends with ${code}`;
      return of(code.toLowerCase(), { kind: 'error', code, message: words }, { code, words });
    }),
    of('throttle', { kind: 'throttle' }, { code: 'Unavailable', words: 'too many calls' }),
    of('drops', dropsLate, { code: 'Unavailable', words: request }),
    of(hangs, { kind: 'hang' }, { code: 'DeadlineExceeded', words: 'no answer within 30 s' }),
    of(
      'search',
      { operation: 'list', kind: 'error', code: 'Internal', message: 'the search is broken' },
      { code: 'Internal', words: 'the search is broken' },
    ),
    of(
      'search-drops',
      { operation: 'list', ...dropsLate },
      { code: 'Unavailable', words: 'GET /instances' },
    ),
  ];
}

/** Each Machine says what is wrong with it alone, in lastOperation and in an Event. */
export async function untilEachSays(
  scenario: Scenario,
  cases: readonly FaultCase[],
  type: 'Create' | 'Delete',
): Promise<void> {
  const { cluster } = scenario;
  for (const { short, code, words } of cases) {
    const { name } = scenario.named(short);
    await eventually(`Machine ${name} says ${code}: ${words}`, async () => {
      const { status } = await cluster.machine(name);
      const { description, ...operation } = status?.lastOperation ?? {};
      expect(operation).toMatchObject({ errorCode: code, state: 'Failed', type });
      expect(description).toContain(`machine codes error: code = [${code}] message = [`);
      expect(description).toContain(words);
      const events = await cluster.events('Machine', name);
      expect(events).toContainEqual(
        expect.objectContaining({
          type: 'Warning',
          reason: `Failed${type}`,
          message: expect.stringContaining(words),
        }),
      );
    });
  }
}
