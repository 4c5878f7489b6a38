{{/* What the schema cannot say: values that do not fit together. */}}
{{- define "millwright.validate" -}}
{{- $v := .Values }}
{{- if and (ne $v.render "install") (not $v.rbac.subjects) }}
{{- fail (printf "rbac.subjects: is empty; render: %s needs the identities of the kubeconfig, such as [{ kind: ServiceAccount, name: millwright, namespace: kube-system }]" $v.render) }}
{{- end }}
{{- range $cluster := list "control" "target" }}
{{- $settings := get $v $cluster }}
{{- $has := or $settings.kubeconfig.secretName $settings.kubeconfig.volume }}
{{- if and (eq $v.render "install") (eq $settings.cluster "separate") (not $has) }}
{{- fail (printf "%s.kubeconfig.secretName: is empty; %s.cluster: separate needs a Secret with a kubeconfig, or %s.kubeconfig.volume" $cluster $cluster $cluster) }}
{{- end }}
{{- if and (ne $settings.cluster "separate") $has }}
{{- fail (printf "%s.kubeconfig: is set, but %s.cluster is %q; allowed with: separate" $cluster $cluster $settings.cluster) }}
{{- end }}
{{- end }}
{{- with $v.fleet }}
{{- if and .namespaces $v.machines.namespace }}
{{- fail "fleet.namespaces: is set, and machines.namespace as well; set one of them" }}
{{- end }}
{{- if and .namespaces (not $v.install) }}
{{- fail "install: is empty; fleet.namespaces needs a name that stays when namespaces come and go" }}
{{- end }}
{{- if and .targetSecret (ne $v.target.cluster "same") }}
{{- fail (printf "target.cluster: %q is not allowed with fleet.targetSecret, which says where the Nodes join" $v.target.cluster) }}
{{- end }}
{{- if and .targetTokenSecret (not .targetSecret) }}
{{- fail "fleet.targetTokenSecret: is set, but fleet.targetSecret is empty" }}
{{- end }}
{{- end }}
{{- $served := list }}
{{- range $name, $worker := $v.workers }}
{{- if $worker }}
{{- range $worker.serve }}{{ $served = append $served (regexReplaceAll ":.*" . "") }}{{ end }}
{{- range $part := $worker.serve }}
{{- $provider := trimPrefix "driver:" $part }}
{{- if and (hasPrefix "driver:" $part) (hasKey $worker "providers") (not (has $provider $worker.providers)) }}
{{- fail (printf "workers.%s.serve: %q is not allowed; allowed: the drivers of workers.%s.providers (%s)" $name $part $name (join ", " $worker.providers)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- range $part := list "core" "drain" "driver" }}
{{- if and (not (has $part $served)) (not (and (eq $part "driver") $v.externalDrivers)) }}
{{- fail (printf "workers: no worker serves %q; without it %s" $part (get (dict "core" "no workflow runs" "drain" "deletions stand still" "driver" "no machine is made (a driver in another process stands in externalDrivers)") $part)) }}
{{- end }}
{{- end }}
{{- $unused := dict }}
{{- if and (eq $v.render "install") (not $v.watcher.apart) }}
{{- $_ := set $unused "replicas" (ne (dig "replicas" 2 $v.watcher | int) 2) }}
{{- $_ := set $unused "resources" (ne (toJson $v.watcher.resources) `{"limits":{"memory":"512Mi"},"requests":{"cpu":"50m","memory":"192Mi"}}`) }}
{{- $_ := set $unused "serviceAccount" (or (dig "serviceAccount" "name" "" $v.watcher) (dig "serviceAccount" "annotations" dict $v.watcher)) }}
{{- end }}
{{- range $name, $isSet := $unused }}
{{- if $isSet }}
{{- $worker := include "millwright.watchingWorker" $ }}
{{- fail (printf "watcher.%s: is set, but the watcher runs in the worker %q; set workers.%s.%s, or watcher.apart: true" $name $worker $worker $name) }}
{{- end }}
{{- end }}
{{- $tls := $v.temporal.tls }}
{{- if and $tls.secretName (not $tls.enabled) }}
{{- fail "temporal.tls.secretName: is set, but temporal.tls.enabled is false" }}
{{- end }}
{{- with $v.traces }}
{{- if and .enabled (not .endpoint) }}
{{- fail "traces.endpoint: is empty; traces.enabled needs the address of the collector, such as http://collector.observability:4318" }}
{{- end }}
{{- if and .endpoint (not .enabled) }}
{{- fail (printf "traces.endpoint: %q is set, but traces.enabled is false" .endpoint) }}
{{- end }}
{{- if and .enabled (hasKey $v.flags "traces") }}
{{- fail "flags.traces: is set, and traces.enabled as well; set one of them" }}
{{- end }}
{{- end }}
{{- $processes := include "millwright.workers" . | fromJson }}
{{- if $v.watcher.apart }}{{ $_ := set $processes "watcher" $v.watcher }}{{ end }}
{{- if $v.front.enabled }}
{{- if get $v.workers "front" }}
{{- fail "workers.front: is not allowed with front.enabled, whose Deployment has that name; give the worker another one" }}
{{- end }}
{{- $accounts := list }}
{{- range $name, $process := $processes }}{{ $accounts = append $accounts (include "millwright.serviceAccount" (dict "root" $ "name" $name "settings" $process)) }}{{ end }}
{{- $own := include "millwright.serviceAccount" (dict "root" . "name" "front" "settings" $v.front) }}
{{- if and (eq $v.render "install") (has $own $accounts) }}
{{- fail (printf "front.serviceAccount.name: %q is that of another process; the front needs one of its own, by which admission knows it" $own) }}
{{- end }}
{{- $_ := set $processes "front" $v.front }}
{{- end }}
{{- $places := dict "flags" $v.flags "watcher.flags" $v.watcher.flags }}
{{- if $v.front.enabled }}{{ $_ := set $places "front.flags" $v.front.flags }}{{ end }}
{{- range $name, $worker := $v.workers }}{{ if $worker }}{{ $_ := set $places (printf "workers.%s.flags" $name) $worker.flags }}{{ end }}{{ end }}
{{- $said := include "millwright.saidByValues" . | fromYaml }}
{{- range $place, $flags := $places }}
{{- range $name, $text := $flags }}
{{- with get $said $name }}
{{- fail (printf "%s.%s: is not allowed; %s" $place $name .) }}
{{- end }}
{{- if and (ne $place "flags") (has $name (list "leader-elect-resource-namespace" "leader-elect-resource-name" "approve-kubelet-serving")) }}
{{- fail (printf "%s.%s: is not allowed; set flags.%s, by which all processes and their rights go" $place $name $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $process, $settings := $processes }}
{{- $grace := get ($settings.flags | default dict) "shutdown-grace-period" | default (get $v.flags "shutdown-grace-period") | default "20s" | toString }}
{{- /* How far the duration leads: one that is none is for the process to refuse. */}}
{{- $start := toDate "2006-01-02" "2020-01-01" }}
{{- $seconds := sub (dateModify $grace $start | unixEpoch) (unixEpoch $start) }}
{{- if le (int64 $v.terminationGracePeriodSeconds) $seconds }}
{{- fail (printf "terminationGracePeriodSeconds: %v is not allowed; allowed: more than --shutdown-grace-period, which is %s in %s (flags.shutdown-grace-period)" $v.terminationGracePeriodSeconds $grace $process) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Flags that the chart writes itself, from values that decide on more: rights, mounts, probes, policies. */}}
{{- define "millwright.saidByValues" -}}
control-kubeconfig: use control
target-kubeconfig: use target
target-kubeconfig-secret: use fleet.targetSecret
target-token-secret: use fleet.targetTokenSecret
namespace: use machines.namespace
namespaces: use fleet.namespaces
install: use install
cluster-id: use clusterId
cluster-name: use temporal.clusterName
temporal-address: use temporal.address
temporal-namespace: use temporal.namespace
payload-keys: use temporal.payloadKeys
serve: use workers.NAME.serve
with-watcher: use watcher.apart
providers: use workers.NAME.providers
worker-deployment: use versioning.deploymentName
build-id: use versioning.buildId
address: use listenAddress
port: the ports are 10258 of the watcher, also in a worker, and 10259 of other workers, where probes look
instance-cluster: use front.instanceCluster
user-data-config: use front.userDataConfig
join-cluster-timeout: use front.joinClusterTimeout
skip-eviction-after: use front.skipEvictionAfter
replace-unhealthy: use front.replaceUnhealthy
machine-controller-lease: use front.machineControllerLease
{{- end }}
