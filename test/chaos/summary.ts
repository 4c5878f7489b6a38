import { quantiles } from '../bench/quantiles.ts';
import type { Tally } from './tally.ts';

/** For people; docs/reliability.md takes its numbers from here. */
export function summaryOf(tally: Tally): string {
  const { p50, max } = quantiles(tally.settleSeconds);
  return [
    `actions            ${tally.wordsOf('action')}`,
    `kills              ${tally.wordsOf('kill')}`,
    `faults that fired  ${tally.wordsOf('fault')}`,
    `machines           ${tally.machinesCreated} created; VMs: ${tally.vmsCreated} created, ${tally.vmsDeleted} deleted`,
    `quiet points       ${tally.settleSeconds.length}, reached after p50 ${p50.toFixed(1)} s, max ${max.toFixed(1)} s`,
    `invariants         ${tally.invariantsChecked} checked; bounds in ${tally.statesChecked} states`,
    `repairs            ${tally.repairs.restored.length} workflows started again, ${tally.repairs.orphans.length} orphans deleted`,
    `broken by the SDK  ${tally.repairs.brokenBySdk.length} runs, begun anew`,
    'a wish is heard after a kill of',
    ...tally.recoveryLines().map((line) => `  ${line}`),
    `violations         ${tally.violations.length}`,
    ...tally.violations.map((text) => `  ${text.replaceAll('\n', '\n  ')}`),
  ].join('\n');
}
