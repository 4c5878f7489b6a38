#!/bin/sh
# Stands for the agents on Nodes that are updated in place (strategy InPlaceUpdate), with kubectl only:
# to try it out, or as a beginning of your own. Runs until Ctrl-C. Takes off the taint of an updated
# Node as well, which Gardener does where it runs. Needs the rights to get and patch Nodes.
#
#   update-agent.sh        for all Nodes
#   update-agent.sh NODE   for this one
#   WORK=COMMAND           does the work, and is given the name of the Node. Default: nothing
#   REASON=TEXT            why it failed, where it does. Default: the command failed
#   DELETE_PODS=yes        deletes all pods of the Node before the answer, as gardener-node-agent does
#   KUBECTL=COMMAND        default kubectl; "kubectl --context=x" for another cluster
set -eu
kubectl=${KUBECTL:-kubectl}
key=node.machine.sapcloud.io/update-result
because=node.machine.sapcloud.io/update-failed-reason
taint=node.gardener.cloud/critical-components-not-ready
row='{.metadata.name} {.status.conditions[?(@.type=="InPlaceUpdate")].reason}'
row="$row {.metadata.labels.node\.machine\.sapcloud\.io/update-result}{\"\\n\"}"

answer() {
  echo "$1: the update begins"
  if ${WORK:-true} "$1" </dev/null; then
    if [ "${DELETE_PODS:-}" = yes ]; then
      $kubectl delete pods --all-namespaces --field-selector="spec.nodeName=$1" --wait=false
    fi
    $kubectl label --overwrite node "$1" "$key=successful"
    $kubectl annotate node "$1" "$because-"
  else
    $kubectl annotate --overwrite node "$1" "$because=${REASON:-the command failed}"
    $kubectl label --overwrite node "$1" "$key=failed"
  fi
}

while :; do
  ready=$($kubectl get nodes -o jsonpath="{range .items[*]}$row{end}" |
    awk -v only="${1:-}" 'NF == 2 && $2 == "ReadyForUpdate" && (only == "" || $1 == only) { print $1 }')
  for node in $ready; do answer "$node"; done
  $kubectl taint nodes "${1:---all}" "$taint-" >/dev/null 2>&1 || true
  sleep 5
done
