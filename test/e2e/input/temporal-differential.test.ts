/**
 * The simulated Temporal with its simulated core against the real server with the SDK's workers:
 * the same scripts give the same events, failures, attempts and answers.
 */
import { isDeepStrictEqual } from 'node:util';
import { bundleOfScripts } from '../../simulation/differential/temporal/bundle.ts';
import type { ScriptBundle } from '../../simulation/differential/temporal/bundle.ts';
import { drawn } from '../../simulation/differential/temporal/drawn.ts';
import type { Observation } from '../../simulation/differential/temporal/observation.ts';
import { Server } from '../../simulation/differential/temporal/on-server.ts';
import { onSimulation } from '../../simulation/differential/temporal/on-simulation.ts';
import { handWritten } from '../../simulation/differential/temporal/scripts/all.ts';
import { Slots } from '../../simulation/core/slots.ts';
import { testSeed } from '../../support/seed.ts';
import { isNight, testStack } from '../support/test-stack.ts';

const mostTries = 3;
/** They wait nearly all of their time. */
const atOnce = 16;
const drawnCount = isNight() ? 50 : 6;
const firstSeed = 1 + (testSeed() - 1) * drawnCount;
const scripts = [
  ...handWritten,
  ...Array.from({ length: drawnCount }, (_, index) => drawn(firstSeed + index)),
];

describe('the simulated Temporal does what the server does', () => {
  const slots = new Slots(atOnce);
  const played = new Map<string, Promise<Observation>>();
  let bundle: ScriptBundle;
  let server: Server;

  beforeAll(async () => {
    bundle = await bundleOfScripts();
    server = new Server(testStack().temporalAddress, bundle.codePath);
    await server.start();
    for (const script of scripts) {
      const found = slots.take().then(() => server.play(script).finally(() => slots.free()));
      // Its test plays it again.
      found.catch(() => undefined);
      played.set(script.name, found);
    }
  });

  afterAll(async () => {
    await Promise.allSettled(played.values());
    await server.stop();
    await bundle.remove();
  });

  test.each(scripts)('$name', async (script) => {
    const { observation } = await onSimulation(script, bundle.codePath);
    const found = await played.get(script.name)?.catch(() => undefined);
    if (isDeepStrictEqual(observation, found)) return;
    // All scripts at once, and those of other files, are slow at times. What really differs does so
    // each time.
    await Promise.allSettled(played.values());
    let again = await server.play(script);
    for (let tries = 1; tries < mostTries && !isDeepStrictEqual(observation, again); tries += 1) {
      again = await server.play(script);
    }
    expect(observation).toEqual(again);
  });
});
