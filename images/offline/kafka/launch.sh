#!/usr/bin/env bash
# Converts KAFKA_* variables to properties, formats new storage and starts the broker.
set -euo pipefail
libs='/opt/kafka/libs/*'
logging=-Dlog4j2.configurationFile=/opt/kafka/config/log4j2.yaml
export CLUSTER_ID="${CLUSTER_ID:-5L6g3nShT-eMCtK--X86sw}"

setup() {
  java -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$libs" \
    kafka.docker.KafkaDockerWrapper setup \
    --default-configs-dir /etc/kafka/docker \
    --mounted-configs-dir /mnt/shared/config \
    --final-configs-dir /opt/kafka/config 2>&1
}

# Ignores the error for storage of a previous start.
if ! output="$(setup)" && ! grep --quiet --ignore-case 'already formatted' <<<"$output"; then
  echo "$output" >&2
  exit 1
fi

# shellcheck disable=SC2086 # options are words
exec java ${KAFKA_HEAP_OPTS:--Xmx1G -Xms1G} ${KAFKA_OPTS:-} -XX:+UseG1GC "$logging" -cp "$libs" \
  kafka.Kafka /opt/kafka/config/server.properties
