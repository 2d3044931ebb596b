# Spark's own settings file, copied by `make setup` to pyspark/conf of the environment. The Python
# workers of Spark must be the interpreter that has our packages. Spark takes it from PYSPARK_PYTHON
# alone: no Spark setting has a say in how a Python data source is found.
if [[ -x "${SPARK_HOME}/../../../../bin/python" ]]; then
  PYSPARK_PYTHON="${PYSPARK_PYTHON:-$(cd "${SPARK_HOME}/../../../../bin" && pwd)/python}"
fi

# A lake on S3 needs Hadoop's client for S3, which is no part of pyspark.
if [[ "${DMS_LAKE:-}" =~ ^s3[an]?:// ]]; then
  dms_jars=$("${PYSPARK_PYTHON:-python3}" -m pyspark_dms.services.s3_lake) || exit 1
  export SPARK_DIST_CLASSPATH="${SPARK_DIST_CLASSPATH:+$SPARK_DIST_CLASSPATH:}$dms_jars"
fi

# The executors of a cluster have nothing of this machine but what they are sent.
if [[ "${DMS_MASTER:-}" == spark://* ]]; then
  dms_variables=$("${PYSPARK_PYTHON:-python3}" -m pyspark_dms.services.cluster "${dms_jars:-}") || exit 1
  while IFS= read -r dms_variable; do export "${dms_variable?}"; done <<<"$dms_variables"
fi
