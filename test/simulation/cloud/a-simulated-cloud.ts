/** A simulated cloud with one process that calls it through the real driver. */
import type { Driver } from '../../../activities/drivers/driver.ts';
import { createVirtualDriver } from '../../../activities/drivers/virtual/driver.ts';
import type { Transport } from '../../../activities/drivers/virtual/client.ts';
import { SimulatedProcess } from '../engine/process.ts';
import { Simulation } from '../engine/simulation.ts';
import { calm, Weather } from '../world/weather.ts';
import type { Trouble } from '../world/weather.ts';
import { SimulatedCloud } from './cloud.ts';
import { CloudNetwork, calmCloud } from './transport.ts';
import type { CloudTrouble } from './transport.ts';

export interface ASimulatedCloud {
  simulation: Simulation;
  weather: Weather;
  cloud: SimulatedCloud;
  /** Can be changed at any time. */
  trouble: CloudTrouble;
  process: SimulatedProcess;
  transport: Transport;
  /** Each of its calls lets time pass until it is over. */
  driver: Driver;
  /** Lets time pass until the work is over; 10 simulated minutes at most. */
  done<T>(work: () => Promise<T>): Promise<T>;
}

export interface ASimulatedCloudOptions {
  seed?: number;
  calls?: Partial<Trouble>;
  settleSeconds?: number;
}

const longestMs = 600_000;

export function aSimulatedCloud(
  wanted: Partial<CloudTrouble> = {},
  { seed = 1, calls = {}, settleSeconds = 1 }: ASimulatedCloudOptions = {},
): ASimulatedCloud {
  const simulation = new Simulation(seed);
  const weather = new Weather(simulation, { ...calm, ...calls });
  const cloud = new SimulatedCloud(simulation);
  const trouble = { ...calmCloud, ...wanted };
  const network = new CloudNetwork({ simulation, weather, cloud, trouble, settleSeconds });
  const process = new SimulatedProcess(simulation, { name: 'worker-1' });
  const transport = network.transportFor(process);
  const done = async <T>(work: () => Promise<T>): Promise<T> => {
    const endMs = simulation.now + longestMs;
    let isOver = false;
    const result = process.run(work).finally(() => {
      isOver = true;
    });
    // Read below; a failure in the meantime is not unhandled.
    result.catch(() => undefined);
    await simulation.run(endMs, () => isOver);
    if (!isOver) throw new Error('not over within 10 simulated minutes');
    return await result;
  };
  const driver = selfDriven({ ...createVirtualDriver({ transport }), settleSeconds }, done);
  return { simulation, weather, cloud, trouble, process, transport, driver, done };
}

function selfDriven(driver: Driver, done: ASimulatedCloud['done']): Driver {
  const { getConsoleOutput } = driver;
  return {
    ...driver,
    ...(getConsoleOutput && {
      getConsoleOutput: (request) => done(() => getConsoleOutput(request)),
    }),
    createInstance: (request) => done(() => driver.createInstance(request)),
    describeInstance: (request) => done(() => driver.describeInstance(request)),
    initializeInstance: (request) => done(() => driver.initializeInstance(request)),
    deleteInstance: (request) => done(() => driver.deleteInstance(request)),
    listInstances: (request) => done(() => driver.listInstances(request)),
    deleteListed: (request) => done(() => driver.deleteListed(request)),
  };
}
