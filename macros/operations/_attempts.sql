{% macro _attempts(tables, dry_run) %}
    {#-
        How often an operation goes over its tables, and how: of several tables all are tried before
        one is changed, so that one that cannot follow leaves the others as they were.
    -#}
    {% set last = {"dry_run": dry_run, "tells": true} %}
    {% do return([{"dry_run": true, "tells": false}, last] if tables | length > 1 and not dry_run else [last]) %}
{% endmacro %}
