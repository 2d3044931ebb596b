{% macro _vacuum_index(written_before, dry_run) %}
    {#- The plans of runs; only what is run for their date without the index reads them. -#}
    {% set area = {"root": log_location("dms_files") ~ "/plans", "needed": []} %}
    {% set folders = _vacuumed_folders({"areas": [area], "written_before": written_before, "delete": not dry_run}) %}
    {% if folders %}{% do _report_vacuumed("dms_files", folders, dry_run) %}{% endif %}
{% endmacro %}
