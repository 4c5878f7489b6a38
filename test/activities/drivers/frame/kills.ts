/**
 * Kills that come from the list of a driver's calls: each call is cut before it is sent and after
 * it was carried out, and the process that made it is gone. Then the contract is asked again.
 */
import { DriverError, DriverPending } from '../../../../activities/drivers/driver.ts';
import type { CreateRequest, Driver } from '../../../../activities/drivers/driver.ts';
import type { Fault, FaultProxy } from './fault-proxy.ts';

export interface KillCase {
  proxy: () => FaultProxy;
  /** Another process: a driver without any memory, which reaches the cloud through the proxy. */
  aDriver: () => Driver;
  request: (name: string, more?: Partial<CreateRequest>) => CreateRequest;
  /** Instances of the name that live. */
  countLiving: (name: string) => number | Promise<number>;
  /** All that is there of the name, parts included, in words. */
  left: (name: string) => string[] | Promise<string[]>;
  /** What the cloud works on goes on by so much; default: nothing is to be done. */
  pass?: () => void | Promise<void>;
}

const faults: readonly { name: string; fault: Fault; isKill: boolean }[] = [
  { name: 'cut before it is sent', fault: { kind: 'cutBefore' }, isKill: false },
  { name: 'cut after it was carried out', fault: { kind: 'loseAnswer' }, isKill: false },
  { name: 'killed before it is sent', fault: { kind: 'deafness' }, isKill: true },
  { name: 'killed after it was carried out', fault: { kind: 'silence' }, isKill: true },
];

/** More calls than any create or delete makes. */
const callsMax = 60;
/** More questions than any create or delete takes. */
const attemptsMax = 60;

export function describeKills(killCase: KillCase): void {
  describe.each(faults)('each call of a create and of a delete, $name', ({ fault, isKill }) => {
    test('leaves one instance, and then nothing', async () => {
      for (let n = 1; n <= callsMax; n += 1) {
        const name = `k-${faults.findIndex((one) => one.fault === fault)}-${n}`;
        const made = await killed({ killCase, name, fault, isKill, n }, (driver, more) =>
          driver.createInstance(killCase.request(name, more)),
        );
        expect([name, await killCase.countLiving(name)]).toEqual([name, 1]);
        const gone = await killed({ killCase, name, fault, isKill, n }, (driver, more) =>
          driver.deleteInstance(
            killCase.request(name, { ...more, providerID: made.answer.providerID }),
          ),
        );
        expect([name, await killCase.left(name)]).toEqual([name, []]);
        if (!made.wasHit && !gone.wasHit) return;
      }
      throw new Error(`more than ${callsMax} calls`);
    });
  });
}

interface Kill {
  killCase: KillCase;
  name: string;
  fault: Fault;
  isKill: boolean;
  /** Which call, from 1. */
  n: number;
}

type Ask<Answer> = (driver: Driver, more: Partial<CreateRequest>) => Promise<Answer>;

/** As the workflow asks: with the checkpoint, and with another token once one is spent. */
async function killed<Answer>(
  { killCase, name, fault, isKill, n }: Kill,
  ask: Ask<Answer>,
): Promise<{ answer: Answer; wasHit: boolean }> {
  const proxy = killCase.proxy();
  const { uid } = killCase.request(name).machine;
  const dead = Promise.withResolvers<'killed'>();
  let wasHit = false;
  proxy.add({
    nth: n,
    fault,
    onHit: () => {
      wasHit = true;
      if (isKill) dead.resolve('killed');
    },
  });
  let generation = 0;
  let more: Partial<CreateRequest> = {};
  let failure: unknown;
  try {
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const given = { ...more, token: `${uid}-${generation}` };
      // The promise of a killed process is left as it is: nobody hears its answer.
      const call = ask(killCase.aDriver(), given).then(
        (answer) => ({ answer }),
        (error: unknown) => ({ error }),
      );
      const end = await Promise.race([call, ...(isKill && !wasHit ? [dead.promise] : [])]);
      if (end === 'killed') continue;
      if ('answer' in end) return { answer: end.answer, wasHit };
      failure = end.error;
      await killCase.pass?.();
      if (failure instanceof DriverPending) {
        const { checkpoint } = failure;
        more = checkpoint === undefined ? {} : { checkpoint };
        continue;
      }
      if (!(failure instanceof DriverError)) throw failure;
      more = {};
      if (failure.settled) generation += 1;
    }
    throw failure;
  } finally {
    proxy.clear();
  }
}
