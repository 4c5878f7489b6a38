{{/*
Who has the rights of a part: watcher, worker (every worker), core, drain,
driver, removal or front; `all` but the front, or `everyone`. JSON of a list of subjects.
Takes { root, part }.
*/}}
{{- define "millwright.subjects" -}}
{{- $root := .root }}
{{- $part := .part }}
{{- $subjects := list }}
{{- if ne $root.Values.render "install" }}
{{- /* Each has all of them, and so needs no removal. */}}
{{- $subjects = eq $part "removal" | ternary list $root.Values.rbac.subjects }}
{{- else }}
{{- if and (has $part (list "watcher" "all" "everyone")) $root.Values.watcher.apart }}
{{- $name := include "millwright.serviceAccount" (dict "root" $root "name" "watcher" "settings" $root.Values.watcher) }}
{{- $subjects = append $subjects (dict "kind" "ServiceAccount" "name" $name "namespace" $root.Release.Namespace) }}
{{- end }}
{{- if and (has $part (list "front" "everyone")) $root.Values.front.enabled }}
{{- $name := include "millwright.serviceAccount" (dict "root" $root "name" "front" "settings" $root.Values.front) }}
{{- $subjects = append $subjects (dict "kind" "ServiceAccount" "name" $name "namespace" $root.Release.Namespace) }}
{{- end }}
{{- $watching := include "millwright.watchingWorker" $root }}
{{- range $name, $worker := $root.Values.workers }}
{{- if $worker }}
{{- $parts := list "worker" "all" "everyone" }}
{{- if eq $name $watching }}{{ $parts = append $parts "watcher" }}{{ end }}
{{- range $worker.serve }}{{ $parts = append $parts (regexReplaceAll ":.*" . "") }}{{ end }}
{{- $hasDrivers := or (not (hasKey $worker "providers")) $worker.providers }}
{{- if and (has "drain" $parts) (not (has "core" $parts)) $hasDrivers }}{{ $parts = concat $parts (list "removal" "driver") }}{{ end }}
{{- if has $part $parts }}
{{- $account := include "millwright.serviceAccount" (dict "root" $root "name" $name "settings" $worker) }}
{{- $subjects = append $subjects (dict "kind" "ServiceAccount" "name" $account "namespace" $root.Release.Namespace) }}
{{- end }}
{{- end }}
{{- end }}
{{- if eq $part "driver" }}
{{- range $root.Values.externalDrivers }}
{{- $subjects = append $subjects (dict "kind" "ServiceAccount" "name" .name "namespace" (default $root.Release.Namespace .namespace)) }}
{{- end }}
{{- end }}
{{- end }}
{{- toJson $subjects }}
{{- end }}

{{/*
CEL: whether a request comes from the subjects of a part, as the API server calls them, or from the users `also`.
Takes { root, part, also }.
*/}}
{{- define "millwright.comesFrom" -}}
{{- $users := list }}
{{- $groups := list }}
{{- range include "millwright.subjects" . | fromJsonArray }}
{{- if eq .kind "ServiceAccount" }}
{{- $users = append $users (printf "system:serviceaccount:%s:%s" .namespace .name) }}
{{- else if eq .kind "User" }}
{{- $users = append $users .name }}
{{- else }}
{{- $groups = append $groups .name }}
{{- end }}
{{- end }}
{{- range .also }}{{ $users = append $users . }}{{ end }}
{{- $ways := list }}
{{- with uniq $users }}{{ $ways = append $ways (printf "request.userInfo.username in %s" (toJson .)) }}{{ end }}
{{- with uniq $groups }}{{ $ways = append $ways (printf "request.userInfo.groups.exists(group, group in %s)" (toJson .)) }}{{ end }}
{{- join " || " $ways | default "false" }}
{{- end }}

{{/* A role and its binding. Takes { root, name, part, namespace (absent: of the cluster), rules }. */}}
{{- define "millwright.role" }}
{{- $subjects := include "millwright.subjects" . | fromJsonArray }}
{{- if $subjects }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ ternary "Role" "ClusterRole" (hasKey . "namespace") }}
metadata:
  name: {{ .name }}
  {{- with .namespace }}
  namespace: {{ . | quote }}
  {{- end }}
  labels:
    {{- include "millwright.labels" .root | nindent 4 }}
rules:
  {{- .rules | trim | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ ternary "RoleBinding" "ClusterRoleBinding" (hasKey . "namespace") }}
metadata:
  name: {{ .name }}
  {{- with .namespace }}
  namespace: {{ . | quote }}
  {{- end }}
  labels:
    {{- include "millwright.labels" .root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ ternary "Role" "ClusterRole" (hasKey . "namespace") }}
  name: {{ .name }}
subjects:
  {{- range $subjects }}
  - kind: {{ .kind }}
    {{- if ne .kind "ServiceAccount" }}
    apiGroup: rbac.authorization.k8s.io
    {{- end }}
    name: {{ .name | quote }}
    {{- with .namespace }}
    namespace: {{ . | quote }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{/*
In each of the namespaces; in all with rbac.clusterWide, or where none is known by name. Takes what millwright.role
takes, but { namespaces }, { suffix } and, where other releases have theirs in the same one, { prefix }.
*/}}
{{- define "millwright.controlRole" }}
{{- $role := omit . "namespaces" }}
{{- if or .root.Values.rbac.clusterWide (not .namespaces) }}
{{- include "millwright.role" (merge (dict "name" (printf "%s-%s" (include "millwright.clusterName" .root) .suffix)) $role) }}
{{- else }}
{{- $name := printf "%s-%s" (.prefix | default (include "millwright.fullname" .root)) .suffix }}
{{- range .namespaces }}
{{- include "millwright.role" (merge (dict "name" $name "namespace" .) $role) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Whether this release brings the rights of a cluster. Takes { root, cluster }. */}}
{{- define "millwright.bringsRights" -}}
{{- $v := .root.Values }}
{{- if not $v.rbac.create }}
{{- else if eq $v.render (printf "%sRights" .cluster) }}true
{{- else if ne $v.render "install" }}
{{- else if ne $v.control.cluster "same" }}
{{- else if eq .cluster "control" }}true
{{- else if and (eq $v.target.cluster "same") (not $v.fleet.targetSecret) }}true
{{- end }}
{{- end }}
