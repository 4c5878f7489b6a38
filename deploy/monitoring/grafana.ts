/** The JSON of a dashboard that Grafana imports, from version 10 on. */
import {
  ofInstall,
  ofNamespace,
  type Board,
  type Panel,
  type Row,
  type VariableName,
  queriesOf,
} from './panel.ts';

const datasource = { type: 'prometheus', uid: '${datasource}' };
const width = { stat: 4, graph: 8, stack: 8 } as const;
const height = { stat: 4, graph: 8, stack: 8 } as const;
const gridWidth = 24;
/** Where no link can be known: people set both in the dashboard, and save it. */
const defaults = {
  temporal: 'http://localhost:8233/namespaces/default',
  docs: 'https://example.com/millwright/docs',
};

export function dashboardText(board: Board): string {
  return `${JSON.stringify(dashboard(board), undefined, 2)}\n`;
}

function dashboard(board: Board): object {
  return {
    uid: `millwright-${board.name}`,
    title: board.title,
    description: board.description,
    tags: ['millwright'],
    timezone: 'browser',
    editable: true,
    graphTooltip: 1,
    schemaVersion: 39,
    version: 1,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    links: links(board),
    templating: { list: variables(board) },
    annotations: { list: [firingAlerts] },
    panels: panelsOf(board.rows),
  };
}

const firingAlerts = {
  name: 'Alerts of Millwright',
  enable: true,
  hide: false,
  iconColor: 'red',
  datasource,
  expr: `ALERTS{alertname=~"Millwright.*", alertstate="firing", ${ofInstall}}`,
  titleFormat: '{{alertname}}',
  textFormat: '{{kube_namespace}} {{machine_deployment}}',
};

function links({ temporalQuery }: Board): object[] {
  const link = {
    icon: 'external link',
    tooltip: '',
    tags: [],
    asDropdown: false,
    includeVars: false,
  };
  const outside = { ...link, type: 'link', targetBlank: true, keepTime: false };
  const query = encodeURIComponent(temporalQuery);
  return [
    {
      ...link,
      type: 'dashboards',
      title: 'Millwright',
      tags: ['millwright'],
      targetBlank: false,
      includeVars: true,
      keepTime: true,
    },
    { ...outside, title: 'Temporal UI', url: `\${temporal}/workflows?query=${query}` },
    { ...outside, title: 'Runbooks', url: '${docs}/runbooks/' },
  ];
}

const variableQueries: Record<VariableName, { label: string; query: string }> = {
  install: { label: 'Install', query: 'label_values(up{job="millwright"}, namespace)' },
  namespace: {
    label: 'Namespace',
    query: `label_values(millwright_leaderless_seconds{${ofInstall}}, kube_namespace)`,
  },
  deployment: {
    label: 'MachineDeployment',
    query: `label_values(millwright_machines{${ofNamespace}}, machine_deployment)`,
  },
};

function variables(board: Board): object[] {
  const source = {
    type: 'datasource',
    name: 'datasource',
    label: 'Prometheus',
    query: 'prometheus',
  };
  return [
    { ...source, regex: '', multi: false, includeAll: false },
    ...board.variables.map((name) => ({
      type: 'query',
      name,
      label: variableQueries[name].label,
      datasource,
      query: { query: variableQueries[name].query, refId: name },
      definition: variableQueries[name].query,
      // When the time range changes: machines come and go.
      refresh: 2,
      sort: 1,
      multi: true,
      includeAll: true,
      // Also of series whose label is empty.
      allValue: '.*',
      current: { selected: true, text: ['All'], value: ['$__all'] },
    })),
    textVariable('temporal', 'Temporal UI', defaults.temporal),
    textVariable('docs', 'Documentation', defaults.docs),
  ];
}

function textVariable(name: string, label: string, value: string): object {
  return { type: 'textbox', name, label, query: value, current: { text: value, value } };
}

/** Grafana's grid has 24 columns; each row of ours begins below the one before. */
function panelsOf(rows: readonly Row[]): object[] {
  let id = 0;
  let y = 0;
  const panels: object[] = [];
  for (const { title, panels: ofRow } of rows) {
    panels.push({
      type: 'row',
      id: (id += 1),
      title,
      collapsed: false,
      gridPos: { h: 1, w: gridWidth, x: 0, y },
      panels: [],
    });
    y += 1;
    let x = 0;
    let deepest = 0;
    for (const panel of ofRow) {
      const { kind = 'graph' } = panel;
      const [w, h] = [width[kind], height[kind]];
      if (x + w > gridWidth) [x, y, deepest] = [0, y + deepest, 0];
      panels.push(panelOf(panel, { id: (id += 1), gridPos: { h, w, x, y } }));
      x += w;
      deepest = Math.max(deepest, h);
    }
    y += deepest;
  }
  return panels;
}

function panelOf(panel: Panel, place: { id: number; gridPos: object }): object {
  const isStat = panel.kind === 'stat';
  return {
    ...place,
    type: isStat ? 'stat' : 'timeseries',
    title: panel.title,
    description: panel.description,
    datasource,
    targets: queriesOf(panel).map(({ expr, legend }, index) => ({
      refId: 'ABCDEFGH'.charAt(index),
      datasource,
      expr,
      legendFormat: legend,
      instant: isStat,
      range: !isStat,
    })),
    links: panel.runbook === undefined ? [] : [runbookLink(panel.runbook)],
    fieldConfig: { defaults: fieldDefaults(panel), overrides: [] },
    options: isStat ? statOptions : graphOptions,
  };
}

function runbookLink(trouble: string): object {
  return {
    type: 'link',
    title: `Runbook: ${trouble}`,
    url: `\${docs}/runbooks/${trouble}.md`,
    icon: 'external link',
    tooltip: '',
    tags: [],
    asDropdown: false,
    targetBlank: true,
    includeVars: false,
    keepTime: false,
  };
}

function fieldDefaults({ kind, unit = 'short', limits = {}, words = {} }: Panel): object {
  const common = {
    unit,
    thresholds: { mode: 'absolute', steps: stepsOf(limits) },
    mappings: mappingsOf(words),
  };
  if (kind === 'stat') return { ...common, color: { mode: 'thresholds' } };
  const isStacked = kind === 'stack';
  const hasLimits = Object.keys(limits).length > 0;
  return {
    ...common,
    color: { mode: 'palette-classic' },
    min: 0,
    custom: {
      drawStyle: 'line',
      lineWidth: 1,
      fillOpacity: isStacked ? 40 : 10,
      showPoints: 'never',
      stacking: { mode: isStacked ? 'normal' : 'none', group: 'A' },
      thresholdsStyle: { mode: hasLimits ? 'line' : 'off' },
    },
  };
}

function stepsOf({ orange, red }: NonNullable<Panel['limits']>): object[] {
  return [
    { color: 'green', value: null },
    ...(orange === undefined ? [] : [{ color: 'orange', value: orange }]),
    ...(red === undefined ? [] : [{ color: 'red', value: red }]),
  ];
}

function mappingsOf(words: NonNullable<Panel['words']>): object[] {
  const options = Object.entries(words).map(([value, text], index) => [value, { text, index }]);
  return options.length === 0 ? [] : [{ type: 'value', options: Object.fromEntries(options) }];
}

const statOptions = {
  graphMode: 'none',
  colorMode: 'value',
  justifyMode: 'auto',
  textMode: 'auto',
  wideLayout: true,
  showPercentChange: false,
  percentChangeColorMode: 'standard',
  orientation: 'auto',
  reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
};

const graphOptions = {
  legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
  tooltip: { mode: 'multi', sort: 'desc' },
};
