{% macro staged_folder(declared, plan) %}
    {% set declared_as = dms_snapshots.fingerprint(dms_snapshots.declared_facts(declared)) %}
    {% set name = plan.run ~ "-" ~ declared_as %}
    {% do return({
        "run_date": plan.run_date,
        "folder": dms_snapshots.staging_root(declared) ~ "/" ~ name,
        "report": dms_snapshots.log_location("dms_staged_files") ~ "/" ~ declared.label ~ "/" ~ name,
        "rejects":
            dms_snapshots.log_location("dms_rejects") ~ "/" ~ declared.label ~ "/" ~ name
            if declared.on_bad_row == "quarantine" else none,
        "fingerprint": declared_as,
    }) %}
{% endmacro %}


{% macro staging_root(declared) %}
    {% do return(
        dms_snapshots.log_location("dms_staged_files").rsplit("/", 1)[0] ~ "/"
        ~ dms_snapshots.staging_relation(declared).identifier
    ) %}
{% endmacro %}


{% macro staging_relation(declared) %}
    {% do return(dms_snapshots.named_relation("stg_" ~ declared.source_name ~ "__" ~ declared.table_name)) %}
{% endmacro %}
