/** Text that a virtual machine has printed to its serial console. */
import type { Instance } from './instance.ts';

/** A few lines of its boot, then what its fault says. Empty while it boots, as in real clouds. */
export function consoleOf(instance: Instance, now: number): string {
  const { id, size, zone, bootAt, fate } = instance;
  if (now < bootAt) return '';
  const lines = [
    `[    0.000000] virtual cloud: machine ${id}, size ${size}, zone ${zone}`,
    '[    1.204113] cloud-init[512]: running the user data',
    kubeletLine(instance),
    ...(fate.prints === undefined ? [] : [fate.prints]),
  ];
  return `${lines.join('\n')}\n`;
}

function kubeletLine({ name, fate: { neverJoins, joinsNotReady }, nodeUid }: Instance): string {
  if (neverJoins) return `[    9.530022] kubelet[731]: Node ${name} is not registered`;
  if (joinsNotReady) return `[    9.530022] kubelet[731]: Node ${name} is not ready`;
  const isIn = nodeUid !== undefined;
  return `[    9.530022] kubelet[731]: Node ${name} ${isIn ? 'is registered' : 'is being registered'}`;
}
