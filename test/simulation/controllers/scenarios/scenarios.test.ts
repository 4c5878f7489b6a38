/**
 * On our controllers; `test/e2e/input/simulation-controllers.test.ts` plays them on the real ones.
 */
import { ControllersUnderTest } from '../controllers-under-test.ts';
import { scenarios } from './scenarios.ts';
import { SimulatedStage } from './simulated-stage.ts';

test.each(scenarios)('$name', async ({ play }) => {
  const stage = new SimulatedStage(new ControllersUnderTest());
  await expect(play(stage)).resolves.toBeUndefined();
});
