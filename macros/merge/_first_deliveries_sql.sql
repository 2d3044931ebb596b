{% macro _first_deliveries_sql(changes, declared) %}
    {#- A change that is delivered again is known by its change sequence; a move would count twice. -#}
    {% if not declared.change_seq_column %}
        {% do return(changes) %}
    {% endif %}
(
    select *
    from (
        select
            *,
            row_number() over (
                partition by
                    {{ column_names(declared.primary_keys) }},
                    _dms_op,
                    {{ change_identity_sql() }}
                order by _dms_file_seq, _dms_run_date, _dms_row
            ) as _dms_delivery
        from {{ changes }}
    )
    where _dms_delivery = 1
)
{% endmacro %}
