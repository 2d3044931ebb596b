# Spark's own settings file, copied by `make setup` to pyspark/conf of the environment. The Python
# workers of Spark must be the interpreter that has our packages. Spark takes it from PYSPARK_PYTHON
# alone: no Spark setting has a say in how a Python data source is found.
if [[ -x "${SPARK_HOME}/../../../../bin/python" ]]; then
  PYSPARK_PYTHON="${PYSPARK_PYTHON:-$(cd "${SPARK_HOME}/../../../../bin" && pwd)/python}"
fi
