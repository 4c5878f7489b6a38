/** The beginning of a command line of ours that is shown to people. */
export function millwrightFor(command: string, namespace: string | undefined): string {
  return `millwright ${command}${namespace === undefined ? '' : ` -n ${namespace}`}`;
}
