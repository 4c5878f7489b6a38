{{/*
What each process may do: the one source of its rights. `control` roles are of the cluster with the Machines, in
their namespace; `target` roles of the cluster that the Nodes join. A worker has `worker` and what it serves.
A test compares them with the API server's audit log: a right that no test uses fails, and so does a refusal.
*/}}

{{/*
Leases of the watchers: `millwright`, or as a flag names it; in another namespace `millwright-NAMESPACE`. Of a fleet that
goes by labels they cannot be known there.
*/}}
{{- define "millwright.leaseNames" -}}
{{- $own := get .Values.flags "leader-elect-resource-namespace" }}
{{- $name := default "millwright" (get .Values.flags "leader-elect-resource-name") }}
{{- $names := list }}
{{- range include "millwright.knownNamespaces" . | fromJsonArray }}
{{- $names = append $names (ternary $name (printf "millwright-%s" .) (or (empty $own) (eq $own .))) }}
{{- else }}
{{- if empty $own }}{{ $names = list $name }}{{ end }}
{{- end }}
{{- with uniq $names }}resourceNames: [{{ join ", " . }}]{{ end }}
{{- end }}

{{- define "millwright.rights.control.watcher" }}
# Every change of these becomes a signal.
- apiGroups: [machine.sapcloud.io]
  resources: [machines, machinesets, machinedeployments, machineclasses]
  verbs: [list, watch]
- apiGroups: [millwright.dev]
  resources: [disruptionpolicies]
  verbs: [list, watch]
# A changed Secret wakes the machines that wait for it. Only metadata is asked for, but RBAC cannot say that.
- apiGroups: ['']
  resources: [secrets]
  verbs: [list, watch]
# While they are held, MCM does not act.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [machine-controller, machine-controller-manager]
  verbs: [get, update]
# RBAC cannot say a name of what does not exist yet.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
# A person may stop everything; the Lease remembers until when. And a changed ConfigMap wakes the machines whose user
# data are made of it: these are watched while a class names one, and only their metadata are asked for.
- apiGroups: ['']
  resources: [configmaps]
  verbs: [list, watch]
# Of a namespace that a fleet does not serve: why.
- apiGroups: ['']
  resources: [events]
  verbs: [get, create, patch]
{{- end }}

{{- define "millwright.rights.lease.watcher" }}
# Leader election.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  {{ include "millwright.leaseNames" . }}
  verbs: [get, update]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
{{- end }}

{{- define "millwright.rights.lease.worker" }}
# No watcher that holds the Lease, no creation and no destruction.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  {{ include "millwright.leaseNames" . }}
  verbs: [get, watch]
{{- end }}

{{- define "millwright.rights.lease.driver" }}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  {{ include "millwright.leaseNames" . }}
  verbs: [get]
{{- end }}

{{- define "millwright.rights.control.worker" }}
# A person may stop everything.
- apiGroups: ['']
  resources: [configmaps]
  resourceNames: [millwright-stop]
  verbs: [list, watch]
# What happens to a Machine. get, patch: an Event that happens again is counted.
- apiGroups: ['']
  resources: [events]
  verbs: [get, create, patch]
{{- end }}

{{- define "millwright.rights.control.core" }}
# create, delete: sets scale. patch: finalizer, providerID, labels and annotations. watch: instead of long lists.
- apiGroups: [machine.sapcloud.io]
  resources: [machines, machinesets]
  verbs: [get, list, watch, create, patch, delete]
# patch: finalizer, revision, a rollback that is done.
- apiGroups: [machine.sapcloud.io]
  resources: [machinedeployments]
  verbs: [get, list, patch]
- apiGroups: [machine.sapcloud.io]
  resources: [machines/status, machinesets/status, machinedeployments/status]
  verbs: [patch]
# When machines may be taken. patch: what is taken, and the status that people read.
- apiGroups: [millwright.dev]
  resources: [disruptionpolicies]
  verbs: [get, list, watch]
- apiGroups: [millwright.dev]
  resources: [disruptionpolicies/status]
  verbs: [patch]
# Owner references that block the deletion of the owner ask for this where OwnerReferencesPermissionEnforcement is on.
- apiGroups: [machine.sapcloud.io]
  resources: [machinesets/finalizers, machinedeployments/finalizers]
  verbs: [update]
# patch: finalizer while machines need the class, annotation that says what is wrong with it.
- apiGroups: [machine.sapcloud.io]
  resources: [machineclasses]
  verbs: [get, list, patch]
# patch: finalizer while classes need the Secret; an admission policy keeps it from anything else.
- apiGroups: ['']
  resources: [secrets]
  verbs: [get, patch]
# Profile and config of user data, which a class names.
- apiGroups: ['']
  resources: [configmaps]
  verbs: [get]
# The Lease itself, where the check of all objects asks whether a watcher is there.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  {{ include "millwright.leaseNames" . }}
  verbs: [get]
{{- end }}

{{- define "millwright.rights.control.drain" }}
# Annotations end, force or prolong a drain. The status says what blocks it.
- apiGroups: [machine.sapcloud.io]
  resources: [machines]
  verbs: [get]
- apiGroups: [machine.sapcloud.io]
  resources: [machines/status]
  verbs: [patch]
{{- end }}

{{/* A process with drains and drivers, but without the core: its drains end with the deletion of the machine. */}}
{{- define "millwright.rights.control.removal" }}
# The finalizer of a Machine whose instance is gone.
- apiGroups: [machine.sapcloud.io]
  resources: [machines]
  verbs: [patch]
{{- end }}

{{- define "millwright.rights.control.driver" }}
# Before an instance is deleted, and to tell orphans from instances that a Machine has.
- apiGroups: [machine.sapcloud.io]
  resources: [machines]
  verbs: [get, list]
# watch: a driver is loaded when the first class of it is seen.
- apiGroups: [machine.sapcloud.io]
  resources: [machineclasses]
  verbs: [get, list, watch]
# User data and credentials, read where they are used.
- apiGroups: ['']
  resources: [secrets]
  verbs: [get]
# Profile and config of user data. A driver in another program asks at each call whether everything is stopped, and
# whether a watcher leads.
- apiGroups: ['']
  resources: [configmaps]
  verbs: [get]
{{- if .Values.userData.operatingSystemManager }}
# The revision of its MachineDeployment, which what operating-system-manager made has to have.
- apiGroups: [machine.sapcloud.io]
  resources: [machinesets, machinedeployments]
  verbs: [get]
{{- end }}
{{- include "millwright.rights.lease.driver" . }}
{{- end }}

{{/* In cloud-init-settings, where a value turns it on: this name is operating-system-manager's contract. */}}
{{- define "millwright.rights.cloudInit.driver" }}
# What it made for the machines of a MachineDeployment.
- apiGroups: ['']
  resources: [secrets]
  verbs: [get]
{{- end }}

{{- define "millwright.rights.target.watcher" }}
# A Node that joins, turns unhealthy or goes becomes a signal to its machine.
- apiGroups: ['']
  resources: [nodes]
  verbs: [list, watch]
{{- end }}

{{- define "millwright.rights.target.core" }}
# patch: labels, annotations, taints, finalizer. delete: the Node of a machine that is gone.
- apiGroups: ['']
  resources: [nodes]
  verbs: [get, list, patch, delete]
# Conditions and virtual capacity.
- apiGroups: ['']
  resources: [nodes/status]
  verbs: [patch]
# Volumes of a Node that did not answer any more and whose instance is gone.
- apiGroups: [storage.k8s.io]
  resources: [volumeattachments]
  verbs: [list, delete]
{{- end }}

{{- define "millwright.rights.target.drain" }}
# patch: cordon.
- apiGroups: ['']
  resources: [nodes]
  verbs: [get, patch]
# The condition that says why the Node is cordoned.
- apiGroups: ['']
  resources: [nodes/status]
  verbs: [patch]
# delete: only when a drain is forced, or a pod has used up its evictions.
- apiGroups: ['']
  resources: [pods]
  verbs: [list, delete]
- apiGroups: ['']
  resources: [pods/eviction]
  verbs: [create]
# To say which budget blocks a drain. watch: to go on when it changes.
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [list, watch]
# Events on the budgets that block a drain.
- apiGroups: ['']
  resources: [events]
  verbs: [get, create, patch]
# Which volumes an evicted pod has to let go of.
- apiGroups: ['']
  resources: [persistentvolumeclaims]
  verbs: [get]
# A drain waits until they are detached.
- apiGroups: [storage.k8s.io]
  resources: [volumeattachments]
  verbs: [list, watch]
{{- end }}

{{/* With --approve-kubelet-serving. */}}
{{- define "millwright.rights.target.serving" }}
# get: what is approved is what was read.
- apiGroups: [certificates.k8s.io]
  resources: [certificatesigningrequests]
  verbs: [get, list, watch]
- apiGroups: [certificates.k8s.io]
  resources: [certificatesigningrequests/approval]
  verbs: [update]
# Asked for by admission: no request of another signer can be approved.
- apiGroups: [certificates.k8s.io]
  resources: [signers]
  resourceNames: [kubernetes.io/kubelet-serving]
  verbs: [approve]
{{- end }}

{{- define "millwright.rights.target.removal" }}
- apiGroups: ['']
  resources: [nodes]
  verbs: [delete]
- apiGroups: [storage.k8s.io]
  resources: [volumeattachments]
  verbs: [delete]
{{- end }}

{{/* In kube-system. Names of bootstrap tokens are random: an admission policy says what RBAC cannot. */}}
{{- define "millwright.rights.tokens.core" }}
# delete: also to renew a token for a machine that is made again.
- apiGroups: ['']
  resources: [secrets]
  verbs: [get, create, delete]
{{- end }}

{{- define "millwright.rights.tokens.driver" }}
# The bootstrap token that the core has made for a machine.
- apiGroups: ['']
  resources: [secrets]
  verbs: [get]
{{- end }}

{{- define "millwright.rights.tokens.removal" }}
- apiGroups: ['']
  resources: [secrets]
  verbs: [get, delete]
{{- end }}

{{/* Of a fleet, in its namespaces; in all where these have to be found. */}}
{{- define "millwright.rights.fleet" }}
{{- if not (include "millwright.knownNamespaces" . | fromJsonArray) }}
# Namespaces come and go.
- apiGroups: ['']
  resources: [namespaces]
  verbs: [list, watch]
{{- end }}
{{- with .Values.fleet.targetSecret }}
# The kubeconfig of the target cluster of each namespace, which may change at any time.
- apiGroups: ['']
  resources: [secrets]
  resourceNames: {{ toJson (compact (list . $.Values.fleet.targetTokenSecret)) }}
  verbs: [list, watch]
{{- end }}
{{- end }}

{{/* The UID of kube-system tells clusters apart. Without this right they need --cluster-id. */}}
{{- define "millwright.rights.identity" }}
- apiGroups: ['']
  resources: [namespaces]
  resourceNames: [kube-system]
  verbs: [get]
{{- end }}

{{/* Of the front for cluster.k8s.io, in the namespaces that are served. */}}
{{- define "millwright.rights.control.front" }}
# Theirs. create: what our core made is shown as theirs. patch: a Machine has its status in the object.
- apiGroups: [cluster.k8s.io]
  resources: [machines, machinesets]
  verbs: [get, list, watch, create, patch, delete]
# patch: finalizer, annotations, the template of a rollback. People make and delete them.
- apiGroups: [cluster.k8s.io]
  resources: [machinedeployments]
  verbs: [get, list, watch, patch]
- apiGroups: [cluster.k8s.io]
  resources: [machinesets/status, machinedeployments/status]
  verbs: [patch]
# Ours. create: the deployment and its classes, and of a take-over sets and Machines as well.
- apiGroups: [machine.sapcloud.io]
  resources: [machines, machinesets, machinedeployments]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [machine.sapcloud.io]
  resources: [machineclasses]
  verbs: [get, list, create, patch, delete]
# Owner references that block the deletion of the owner ask for this where OwnerReferencesPermissionEnforcement is on.
- apiGroups: [cluster.k8s.io, machine.sapcloud.io]
  resources: [machinesets/finalizers, machinedeployments/finalizers]
  verbs: [update]
# What a class needs. Of Secrets, an admission policy says which.
- apiGroups: ['']
  resources: [secrets, configmaps]
  verbs: [get, list, create, patch, delete]
- apiGroups: ['']
  resources: [events]
  verbs: [get, create, patch]
# Leader election.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [millwright-front]
  verbs: [get, update]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
{{- end }}

{{/* While machine-controller holds it, the front serves nothing new; and while it serves, it holds it. Takes its name. */}}
{{- define "millwright.rights.machineControllerLease" }}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ . }}]
  verbs: [get, update]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
{{- end }}

{{/* Where values of a `cloudProviderSpec` name Secrets and ConfigMaps. */}}
{{- define "millwright.rights.values.front" }}
- apiGroups: ['']
  resources: [secrets, configmaps]
  verbs: [get]
{{- end }}

{{- define "millwright.rights.target.front" }}
# patch: the annotation by which the cluster autoscaler finds the Machine of a Node.
- apiGroups: ['']
  resources: [nodes]
  verbs: [get, list, watch, patch]
{{- end }}
