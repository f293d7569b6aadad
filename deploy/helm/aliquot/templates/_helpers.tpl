{{- define "aliquot.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "aliquot.labels" -}}
app.kubernetes.io/name: aliquot
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "aliquot.selector" -}}
app.kubernetes.io/name: aliquot
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "aliquot.tag" -}}
{{- .Values.image.tag | default .Chart.AppVersion -}}
{{- end -}}

{{/* Files are lost with a pod unless they are in a bucket or in a claim. */}}
{{- define "aliquot.requireStorage" -}}
{{- if not (or .Values.config.S3_BUCKET .Values.persistence.existingClaim) -}}
{{- fail "set config.S3_BUCKET or persistence.existingClaim: uploaded files would be lost with a pod" -}}
{{- end -}}
{{- end -}}

{{- define "aliquot.env" -}}
{{- range $name, $value := .root.Values.config }}
{{- if ne (toString $value) "" }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- range .root.Values.secret.keys }}
- name: {{ . }}_FILE
  value: /run/secrets/aliquot/{{ . }}
{{- end }}
- name: ROLE
  value: {{ .role }}
- name: PROBE_PORT
  value: {{ .root.Values.probePort | quote }}
{{- end -}}

{{- define "aliquot.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "aliquot.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "aliquot.mounts" -}}
- name: secrets
  mountPath: /run/secrets/aliquot
  readOnly: true
- name: data
  mountPath: /var/lib/aliquot
- name: tmp
  mountPath: /tmp
{{- end -}}

{{- define "aliquot.volumes" -}}
- name: secrets
  secret:
    secretName: {{ .Values.secret.name }}
    defaultMode: 0440
- name: data
  {{- if .Values.persistence.existingClaim }}
  persistentVolumeClaim:
    claimName: {{ .Values.persistence.existingClaim }}
  {{- else }}
  emptyDir: {}
  {{- end }}
- name: tmp
  emptyDir: {}
{{- end -}}

{{/* An API or worker Deployment: .root, .component, .repository and .values, those of the component. */}}
{{- define "aliquot.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "aliquot.name" .root }}-{{ .component }}
  labels:
    {{- include "aliquot.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  {{- if not .isScaled }}
  replicas: {{ .values.replicas }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "aliquot.selector" . | nindent 6 }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  template:
    metadata:
      labels:
        {{- include "aliquot.selector" . | nindent 8 }}
      {{- if .root.Values.prometheusAnnotations }}
      annotations:
        prometheus.io/scrape: 'true'
        prometheus.io/port: {{ .root.Values.probePort | quote }}
        prometheus.io/path: /metrics
      {{- end }}
    spec:
      automountServiceAccountToken: false
      # The service finishes running work for up to 30 seconds.
      terminationGracePeriodSeconds: 40
      securityContext:
        {{- include "aliquot.podSecurity" .root | nindent 8 }}
      {{- with .root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "aliquot.selector" . | nindent 14 }}
      containers:
        - name: aliquot
          image: {{ printf "%s:%s" .repository (include "aliquot.tag" .root) | quote }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          env:
            {{- include "aliquot.env" . | trim | nindent 12 }}
          ports:
            - name: http
              containerPort: 3000
            - name: probes
              containerPort: {{ .root.Values.probePort }}
          # A start waits for migrations of others.
          startupProbe:
            httpGet: { path: /healthz, port: probes }
            periodSeconds: 2
            failureThreshold: 150
          livenessProbe:
            httpGet: { path: /healthz, port: probes }
            periodSeconds: 10
            timeoutSeconds: 5
          readinessProbe:
            httpGet: { path: /readyz, port: probes }
            periodSeconds: 5
            timeoutSeconds: 5
          lifecycle:
            # Until no load balancer sends requests here any more.
            preStop:
              exec:
                command: [sleep, '5']
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          securityContext:
            {{- include "aliquot.containerSecurity" .root | nindent 12 }}
          volumeMounts:
            {{- include "aliquot.mounts" .root | nindent 12 }}
      volumes:
        {{- include "aliquot.volumes" .root | nindent 8 }}
      {{- with .root.Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .root.Values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .root.Values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end -}}

{{- define "aliquot.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "aliquot.name" .root }}-{{ .component }}
  labels:
    {{- include "aliquot.labels" .root | nindent 4 }}
spec:
  maxUnavailable: {{ .values.disruptionBudget.maxUnavailable }}
  selector:
    matchLabels:
      {{- include "aliquot.selector" . | nindent 6 }}
{{- end -}}
