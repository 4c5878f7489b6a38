import { join } from 'node:path';
import { repository } from '../../local/layout.ts';
import type { Board } from '../panel.ts';
import { clouds } from './clouds.ts';
import { drains } from './drains.ts';
import { engine } from './engine.ts';
import { fleet } from './fleet.ts';
import { rollout } from './rollout.ts';

export const boards: readonly Board[] = [fleet, rollout, drains, clouds, engine];
export const dashboardsFolder = join(repository, 'deploy/monitoring/dashboards');

/** The file that Grafana imports, as `npm run dashboards` writes it. */
export function dashboardFile({ name }: Board): string {
  return join(dashboardsFolder, `${name}.json`);
}
