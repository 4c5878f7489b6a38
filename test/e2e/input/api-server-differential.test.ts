/**
 * The API server in memory answers as a real one: both are asked the same, by random calls. By
 * night there are more of them, and others each time.
 */
import { randomUUID } from 'node:crypto';
import { firstDifference } from '../../simulation/differential/compare.ts';
import { drawSteps } from '../../simulation/differential/draw.ts';
import type { SideOptions } from '../../simulation/differential/side.ts';
import { HttpApiServer } from '../../support/api-server/http-api-server.ts';
import { testSeed } from '../../support/seed.ts';
import { realSideOf } from '../support/real-api-server.ts';
import { startControlPlane, stopSecondStack } from '../support/second-stack.ts';
import { isNight } from '../support/test-stack.ts';

const name = 'differential';
const count = isNight() ? 10_000 : 1_500;
let memory: HttpApiServer;
let sides: [SideOptions, SideOptions];

beforeAll(async () => {
  const real = await realSideOf(await startControlPlane(name));
  memory = await HttpApiServer.start({
    uuid: randomUUID,
    inWholeSeconds: true,
    gracefulPods: true,
    crds: true,
  });
  sides = [inMemory(memory), real];
});

afterAll(async () => {
  await Promise.all(sides.map((side) => side.close()));
  await stopSecondStack(name);
});

/** What was before the next version is forgotten: the present one too, as by a real server. */
function inMemory(server: HttpApiServer): SideOptions {
  return {
    kubeConfig: server.kubeConfig,
    compact: async () => server.forget(Number(server.version) + 1),
    close: () => server.stop(),
  };
}

test(`${count} calls of seed ${testSeed()} are answered as by kube-apiserver`, async () => {
  const steps = drawSteps({ seed: testSeed(), count, round: 250, roundsOfCompaction: 4 });
  expect(await firstDifference(steps, sides)).toBeUndefined();
});
