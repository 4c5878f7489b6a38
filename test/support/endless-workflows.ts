/** A workflow whose code never comes back. */
export async function machine(): Promise<void> {
  for (;;);
}
