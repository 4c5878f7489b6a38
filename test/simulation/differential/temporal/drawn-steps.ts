/**
 * Steps by chance. All times keep half a second from what they could meet, so that a slow machine
 * changes nothing.
 */
import type { Chance } from '../../engine/chance.ts';
import type { ActivityStep, AttemptEnd, AttemptPlan, Step } from './script.ts';

const done: AttemptPlan = { ends: { is: 'done' } };
const minuteMs = 60_000;

type Rest = Omit<ActivityStep, 'do' | 'label'>;

/** Labels are unique in a script. */
export class StepSource {
  readonly #chance: Chance;
  #count = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  label(): string {
    this.#count += 1;
    return `a${this.#count}`;
  }

  /**
   * Takes up to four seconds. `withCancels`: then no local activity is slow, so that cancellations
   * come in time.
   */
  step(withCancels: boolean): Step {
    const chance = this.#chance;
    const draw = chance.weighted<() => Step>([
      { weight: 4, value: () => this.#activity(this.#regular()) },
      { weight: 2, value: () => this.#local(this.#failing()) },
      { weight: withCancels ? 0 : 1, value: () => this.#local(this.#slow(700)) },
      { weight: withCancels ? 3 : 0, value: () => this.#cancel() },
      { weight: 1, value: () => ({ do: 'sleep', ms: chance.pick([200, 500, 900]) }) },
      { weight: 1, value: () => ({ do: 'await', signal: 'never', withinMs: 400 }) },
      { weight: 1, value: () => ({ do: 'state', value: chance.pick(['One', 'Two']) }) },
      { weight: 1, value: () => ({ do: 'memo', value: chance.pick(['one', 'two']) }) },
    ]);
    return draw?.() ?? { do: 'sleep', ms: 200 };
  }

  /** Runs until it is cancelled. */
  lasting(): ActivityStep {
    const ends = this.#end();
    return this.#activity({
      attempts: [{ untilCancelled: true, ends }],
      heartbeat: 4_000,
      cancellation: 'WAIT_CANCELLATION_COMPLETED',
    });
  }

  /** Its first attempt ends in silence. */
  hanging(): ActivityStep {
    const attempts = [{ beats: ['one'], worksMs: minuteMs, ...done }, done];
    const isSilent = this.#chance.happens(0.5);
    return this.#activity(
      isSilent ? { attempts, heartbeat: 3_000 } : { attempts, startToClose: 3_000 },
    );
  }

  #activity(rest: Rest): ActivityStep {
    return { do: 'activity', label: this.label(), startToClose: minuteMs, ...rest };
  }

  #local(rest: Rest): ActivityStep {
    return { do: 'local', label: this.label(), startToClose: minuteMs, ...rest };
  }

  #regular(): Rest {
    const chance = this.#chance;
    const plans: (() => Rest)[] = [
      () => this.#failing(),
      () => this.#failing(),
      () => this.#slow(1_000),
      () => ({
        attempts: [{ beats: ['one', 'two'], worksMs: 3_500, ...done }, done],
        heartbeat: 1_500,
        retry: { attempts: chance.pick([1, 2]) },
      }),
      () => ({
        attempts: [{ beats: ['one', 'two'], ends: this.#failure() }, done],
        heartbeat: 5_000,
      }),
      () => ({
        attempts: [{ ends: { is: 'failed', type: 'Trouble' } }],
        scheduleToClose: 3_000,
        retry: { firstMs: 2_000 },
      }),
      () => ({ attempts: [done], isUnserved: true, scheduleToStart: 1_000 }),
      () => ({ attempts: [{ worksMs: 3_000, ...done }], scheduleToClose: 1_500 }),
    ];
    return chance.pick(plans)();
  }

  /** A few times, or for good. */
  #failing(): Rest {
    const chance = this.#chance;
    const failures = Array.from({ length: chance.below(3) }, () => ({ ends: this.#failure() }));
    const retry = chance.pick([{}, { attempts: 1 }, { attempts: 2 }, { finalTypes: ['Trouble'] }]);
    return { attempts: [...failures, done], retry };
  }

  #slow(startToClose: number): Rest {
    const attempts = [{ worksMs: startToClose + 1_000, ...done }, done];
    return { attempts, startToClose, retry: { attempts: this.#chance.pick([1, 2]) } };
  }

  #failure(): AttemptEnd {
    return this.#chance.pick<AttemptEnd>([
      { is: 'failed', type: 'Trouble' },
      { is: 'failed', type: 'Trouble', details: 'some' },
      { is: 'failed', type: 'Later', nextDelayMs: 600 },
      { is: 'failed', type: 'End', isFinal: true },
      { is: 'broken', message: 'odd' },
      { is: 'cancelled' },
    ]);
  }

  #end(): AttemptEnd {
    return this.#chance.pick<AttemptEnd>([
      { is: 'cancelled' },
      { is: 'cancelled' },
      { is: 'done' },
      { is: 'failed', type: 'Trouble' },
    ]);
  }

  #cancel(): Step {
    const chance = this.#chance;
    const cancellation = chance.pick([
      'WAIT_CANCELLATION_COMPLETED',
      'WAIT_CANCELLATION_COMPLETED',
      'TRY_CANCEL',
    ] as const);
    const bodies: (() => Step)[] = [
      () => ({ ...this.lasting(), cancellation }),
      () => this.#activity({ attempts: [{ worksMs: 2_000, ...done }], cancellation }),
      () =>
        this.#activity({
          attempts: [{ ends: { is: 'failed', type: 'Trouble' } }],
          retry: { firstMs: minuteMs },
          cancellation,
        }),
      () => this.#activity({ attempts: [done], isUnserved: true, cancellation }),
      () => ({ do: 'sleep', ms: minuteMs }),
    ];
    const until: Step[] = chance.happens(0.2) ? [] : [{ do: 'sleep', ms: 800 }];
    // What is not waited for ends before the next step.
    const rest: Step = { do: 'sleep', ms: 2_500 };
    const step: Step = { do: 'cancel', body: [chance.pick(bodies)()], until };
    return { do: 'shield', body: cancellation === 'TRY_CANCEL' ? [step, rest] : [step] };
  }
}
