{% macro package_version() %}
    {#- The Python package has to be of the same release (pyspark_dms/release.py); a test compares all places. -#}
    {%- do return("0.1.0") -%}
{% endmacro %}
