/** `npm run dashboards`: writes deploy/monitoring/dashboards. */
import { mkdir, writeFile } from 'node:fs/promises';
import { boards, dashboardFile, dashboardsFolder } from './boards/all.ts';
import { dashboardText } from './grafana.ts';

await mkdir(dashboardsFolder, { recursive: true });
for (const board of boards) {
  await writeFile(dashboardFile(board), dashboardText(board));
  console.log(dashboardFile(board));
}
