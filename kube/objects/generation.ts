interface WithGeneration {
  metadata: { generation?: number };
  status?: { observedGeneration?: number };
}

/** Reports whether the status was written for the spec as it is now. Without generations it was. */
export function isSpecObserved({ metadata, status }: WithGeneration): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}
