/** Creates that are promised before they are carried out. */
import { DriverPending } from '../../../activities/drivers/driver.ts';
import { aRequest } from '../../activities/drivers/a-request.ts';
import { aSimulatedCloud } from './a-simulated-cloud.ts';
import { WaitingOrders } from './waiting-orders.ts';

const hourMs = 3_600_000;

function withOrders(share: number) {
  const simulated = aSimulatedCloud();
  const orders = new WaitingOrders({ ...simulated, share });
  return { ...simulated, driver: orders.of(simulated.driver) };
}

test('an order waits and makes nothing, and when its turn comes it makes its instance once', async () => {
  const { driver, cloud, simulation } = withOrders(1);
  const asked = driver.createInstance(aRequest('m'));
  await expect(asked).rejects.toBeInstanceOf(DriverPending);
  await expect(asked).rejects.toMatchObject({ checkpoint: expect.stringContaining('order') });
  expect(cloud.records).toEqual([]);
  await simulation.run(simulation.now + 2 * hourMs);
  expect(await driver.createInstance(aRequest('m'))).toMatchObject({ found: false });
  expect(await driver.createInstance(aRequest('m'))).toMatchObject({ found: true });
  expect(cloud.records).toHaveLength(1);
});

test('waiting ends when the weather clears', async () => {
  const { driver, weather } = withOrders(1);
  await expect(driver.createInstance(aRequest('m'))).rejects.toBeInstanceOf(DriverPending);
  weather.clear();
  expect(await driver.createInstance(aRequest('m'))).toMatchObject({ found: false });
});

test('none waits in a cloud without such trouble', async () => {
  const { driver } = withOrders(0);
  expect(await driver.createInstance(aRequest('m'))).toMatchObject({ found: false });
});
