{% macro staged_folder(declared, plan) %}
    {#-
        Where a plan's files are staged: folders that are never written to by another plan, or under another
        declaration. Nothing reads them before a manifest names them.
    -#}
    {% set declared_as = fingerprint(declared_facts(declared)) %}
    {% set name = plan.run ~ "-" ~ declared_as %}
    {#- Beside the metadata tables, so that every command of a plan finds the same folder. -#}
    {% set root = log_location("dms_staged_files").rsplit("/", 1)[0] ~ "/" ~ staging_relation(declared).identifier %}
    {% do return({
        "run_date": plan.run_date,
        "folder": root ~ "/" ~ name,
        "report": log_location("dms_staged_files") ~ "/" ~ declared.label ~ "/" ~ name,
        "rejects":
            log_location("dms_rejects") ~ "/" ~ declared.label ~ "/" ~ name
            if declared.on_bad_row == "quarantine" else none,
        "fingerprint": declared_as,
    }) %}
{% endmacro %}


{% macro staging_relation(declared) %}
    {% do return(named_relation("stg_" ~ declared.source_name ~ "__" ~ declared.table_name)) %}
{% endmacro %}
