{{/* A Deployment with its PodDisruptionBudget. Takes what millwright.podTemplate takes. */}}
{{- define "millwright.deployment" }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "millwright.deploymentName" . | quote }}
  namespace: {{ .root.Release.Namespace | quote }}
  labels:
    {{- include "millwright.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component | quote }}
spec:
  replicas: {{ hasKey .settings "replicas" | ternary .settings.replicas 2 }}
  revisionHistoryLimit: 3
  # A new process is ready before an old one ends: work goes on without a pause.
  strategy: { type: RollingUpdate, rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
  selector:
    matchLabels:
      {{- include "millwright.selectorLabels" . | nindent 6 }}
  template:
    {{- include "millwright.podTemplate" . | nindent 4 }}
{{- if .root.Values.podDisruptionBudget }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "millwright.deploymentName" . | quote }}
  namespace: {{ .root.Release.Namespace | quote }}
  labels:
    {{- include "millwright.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component | quote }}
spec:
  maxUnavailable: 1
  # A pod that is not ready does no work: it never holds up a drain.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "millwright.selectorLabels" . | nindent 6 }}
{{- end }}
{{- end }}
