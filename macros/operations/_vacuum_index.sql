{% macro _vacuum_index(written_before, dry_run) %}
    {#- What runs found beside the index, of all tables; only that run reads it, and what is run of its date without the index. -#}
    {% set area = {"root": log_location("dms_files") ~ "/differing", "needed": []} %}
    {% set folders = _vacuumed_folders({"areas": [area], "written_before": written_before, "delete": not dry_run}) %}
    {% if folders %}{% do _tell_vacuumed("dms_files", folders, dry_run) %}{% endif %}
{% endmacro %}
