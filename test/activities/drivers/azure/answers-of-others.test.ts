/** A proxy answers 404 with a page: nothing of that says that an instance is gone. */
import { failureOf } from '../failure-of.ts';
import { aMachine, aSharedSetting, aSpec, living, partsOf } from './a-machine.ts';

const { double, driver } = await aSharedSetting();

const request = () => ({ ...aMachine('any'), namespace: 'shoot' });
const notAzure = {
  code: 'Unknown',
  settled: false,
  message: expect.stringContaining('this answer does not come from Azure'),
};

test.each([
  { name: 'create', act: () => driver.createInstance(aMachine('m')) },
  {
    name: 'create of a known instance',
    act: () => driver.createInstance(aMachine('m', { providerID: 'azure:///westeurope/m' })),
  },
  { name: 'describe', act: () => driver.describeInstance(aMachine('m')) },
  { name: 'delete', act: () => driver.deleteInstance(aMachine('m')) },
  {
    name: 'delete listed',
    act: () => driver.deleteListed({ ...request(), providerID: 'azure:///westeurope/m' }),
  },
])('$name is unknown', async ({ act }) => {
  await driver.createInstance(aMachine('m'));
  double.faults.add({ kind: 'html', times: 99 });
  expect(await failureOf(act())).toMatchObject(notAzure);
  expect(living(double, 'm')).toEqual(partsOf('m'));
});

test.each([
  { name: 'create', act: () => driver.createInstance(aMachine('m')) },
  { name: 'describe', act: () => driver.describeInstance(aMachine('m')) },
  { name: 'delete', act: () => driver.deleteInstance(aMachine('m')) },
  {
    name: 'delete listed',
    act: () => driver.deleteListed({ ...request(), providerID: 'azure:///westeurope/m' }),
  },
])('$name is unknown, too, where the page comes with status 200', async ({ act }) => {
  await driver.createInstance(aMachine('m'));
  double.faults.add({ kind: 'html', status: 200, match: 'get ', times: 99 });
  expect(await failureOf(act())).toMatchObject(notAzure);
  expect(living(double, 'm')).toEqual(partsOf('m'));
});

test('a delete is not done before all is gone, whichever of its requests meets the proxy', async () => {
  let ends = 0;
  for (let skip = 0; skip < 12; skip += 1) {
    double.reset();
    await driver.createInstance(aMachine('m'));
    double.faults.add({ kind: 'html', skip });
    const isDone = await driver.deleteInstance(aMachine('m')).then(
      () => true,
      () => false,
    );
    expect({ skip, isWrong: isDone && living(double, 'm').length > 0 }).toEqual({
      skip,
      isWrong: false,
    });
    if (!isDone) ends += 1;
  }
  expect(ends).toBeGreaterThan(3);
});

test('a listing of a resource group is unknown, too', async () => {
  double.faults.add({ kind: 'refuse', match: 'resourcegraph', status: 403, code: 'AccessDenied' });
  double.faults.add({ kind: 'html', match: '/resourcegroups/' });
  expect(await failureOf(driver.listInstances(request()))).toMatchObject(notAzure);
});

test('the answer of a proxy to a query for Resource Graph is unknown', async () => {
  double.faults.add({ kind: 'html', match: 'resourcegraph' });
  expect(await failureOf(driver.listInstances(request()))).toMatchObject({ code: 'Unknown' });
});

describe('in the words of the Resource Manager', () => {
  test('a group that is gone has nothing in it', async () => {
    const providerSpec = aSpec({ resourceGroup: 'gone' });
    expect(await driver.deleteInstance(aMachine('m', { providerSpec }))).toEqual({ found: false });
    expect(await driver.listInstances({ ...request(), providerSpec })).toEqual([]);
  });

  test('an unknown code does not say that the instance is gone', async () => {
    const code = 'SomethingElseNotFound';
    double.faults.add({ kind: 'refuse', status: 404, code });
    expect(await failureOf(driver.describeInstance(aMachine('m')))).toMatchObject({
      code: 'Unknown',
    });
  });
});
